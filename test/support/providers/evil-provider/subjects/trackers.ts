/** The adapters of trackers, each with its own server or with answers in the form of the tracker. */
import type { IssueTracker } from "#services/tracker/trackers/issue-tracker.ts";
import { GithubIssuesTracker } from "#services/tracker/issue-trackers/github-issues/github-issues-tracker.ts";
import { JiraTracker } from "#services/tracker/issue-trackers/jira/jira-tracker.ts";
import { LinearTracker } from "#services/tracker/issue-trackers/linear/linear-tracker.ts";
import { type JiraEdition, JiraServer } from "../../jira/jira-server.ts";
import { LinearFake } from "../../linear/linear-fake.ts";
import type { HonestServer, Operation, Subject, Target } from "../subject.ts";
import { CannedServer } from "./canned-server.ts";

/** An issue of the honest server, its project, and the state to which it is moved. */
interface Example {
	/** Whether the tracker answers a move with nothing. */
	readonly ignoresAnswer?: boolean;
	readonly id: string;
	readonly project: string;
	readonly state: string;
}

function trackerOperations(
	open: (target: Target) => IssueTracker,
	{ id, project, state, ignoresAnswer = false }: Example,
): Operation[] {
	const reading = (name: string, calls: number, use: (tracker: IssueTracker) => Promise<unknown>): Operation => ({
		name,
		kind: "read",
		calls,
		pages: 10,
		changes: 0,
		run: (target) => use(open(target)),
	});
	return [
		reading("status", 9, (tracker) => tracker.status()),
		reading("search", 6, (tracker) => tracker.search("crash", project)),
		reading("recent", 9, (tracker) => tracker.recent(project, 10)),
		{ ...reading("issue", 6, (tracker) => tracker.issue(id)), mayBeAbsent: true },
		{
			name: "setStatus",
			kind: "write",
			calls: 10,
			changes: 1,
			ignoresAnswer,
			run: (target) => open(target).setStatus(id, state),
		},
	];
}

function jira(edition: JiraEdition): Subject {
	const email = edition === "cloud" ? "ada@example.com" : undefined;
	return {
		name: edition === "cloud" ? "jira" : "jira data center",
		provider: "jira",
		secrets: (token) => [Buffer.from(`${email}:${token}`).toString("base64")],
		operations: trackerOperations(
			({ origin, token, outbound }) =>
				new JiraTracker({
					site_url: origin,
					email,
					api_token: token,
					deployment: edition,
					outbound,
					isConfigured: false,
				}),
			{ id: "API-1", project: "API", state: "In Progress", ignoresAnswer: true },
		),
		async start() {
			const server = await JiraServer.start(edition);
			server.add({ summary: "Crash", assignee: "Ada", labels: ["bug"], priority: "High" });
			return server;
		},
	};
}

const linear: Subject = {
	name: "linear",
	isWrite: ({ body }) => /"query":"\s*mutation\b/.test(body),
	operations: trackerOperations(
		({ origin, token, outbound }) =>
			new LinearTracker({ api_key: token, api_url: `${origin}/graphql`, outbound, isConfigured: false }),
		{ id: "ENG-1", project: "project-1", state: "Done" },
	),
	async start(): Promise<HonestServer> {
		const server = new LinearFake();
		await server.listen();
		server.keys.set("lin_api_honest", "Ada");
		server.add({ identifier: "ENG-1", title: "Crash" });
		const { origin } = new URL(server.url);
		return { origin, token: "lin_api_honest", [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
	},
};

const issue = {
	number: 12,
	title: "Crash",
	state: "open",
	html_url: "https://github.example/acme/api/issues/12",
	repository_url: "https://api.github.example/repos/acme/api",
	assignee: { login: "ada" },
	labels: [{ name: "bug" }],
};

const githubIssues: Subject = {
	name: "github-issues",
	provider: "github",
	operations: trackerOperations(
		({ origin, token, outbound }) =>
			new GithubIssuesTracker({ token, base_url: origin, outbound, isConfigured: false }),
		{ id: "acme/api#12", project: "acme/api", state: "closed" },
	),
	start: () =>
		CannedServer.start({
			"GET /user": { login: "ada" },
			"GET /search/issues": { total_count: 1, incomplete_results: false, items: [issue] },
			"GET /repos/acme/api/issues": [issue],
			"GET /repos/acme/api/issues/12": issue,
			"PATCH /repos/acme/api/issues/12": { ...issue, state: "closed" },
		}),
};

export const trackers: readonly Subject[] = [linear, jira("cloud"), jira("data-center"), githubIssues];
