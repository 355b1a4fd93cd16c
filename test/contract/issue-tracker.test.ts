/** The adapters of trackers pass the suite of their port. */
import { expect } from "chai";
import { loadConfig } from "#shared/config/config.ts";
import { Outbound } from "#shared/net/outbound/outbound.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { GithubIssuesTracker } from "#services/tracker/issue-trackers/github-issues/github-issues-tracker.ts";
import { JiraTracker } from "#services/tracker/issue-trackers/jira/jira-tracker.ts";
import { LinearTracker } from "#services/tracker/issue-trackers/linear/linear-tracker.ts";
import { FakeGitHub } from "../support/providers/github/fake-github.ts";
import { startLinearFake } from "../support/providers/linear/linear-fake.ts";
import { type JiraEdition, JiraServer } from "../support/providers/jira/jira-server.ts";
import { describeIssueTracker, type TrackerWithIssues } from "./issue-tracker.contract.ts";

async function jira(edition: JiraEdition): Promise<TrackerWithIssues> {
	const server = await JiraServer.start(edition);
	const outbound = new Outbound({ ...loadConfig({}).outbound, allow: [server.origin] });
	const email = edition === "cloud" ? server.email : undefined;
	const open = (api_token: string) =>
		new JiraTracker({ site_url: server.origin, email, api_token, outbound, isConfigured: false });
	return {
		tracker: open(server.token),
		stranger: open("wrong"),
		project: server.project,
		states: { first: "To Do", next: "In Progress" },
		add: (title, project) => server.add({ summary: title }, project === "another"),
		absent: "API-999",
		violations: server.violations,
		async [Symbol.asyncDispose]() {
			outbound.close();
			await server[Symbol.asyncDispose]();
		},
	};
}

async function linear(): Promise<TrackerWithIssues> {
	const fake = await startLinearFake("lin_api_ada", "ada");
	const outbound = new Outbound({ ...loadConfig({}).outbound, allow: [new URL(fake.url).origin] });
	const open = (api_key: string) => new LinearTracker({ api_key, api_url: fake.url, outbound, isConfigured: false });
	return {
		tracker: open("lin_api_ada"),
		stranger: open("wrong"),
		project: "ENG",
		states: { first: "Todo", next: "In Progress" },
		add(title, project) {
			const identifier = `${project === "another" ? "OPS" : "ENG"}-${fake.issues.length + 1}`;
			fake.add({ identifier, title });
			return identifier;
		},
		absent: "ENG-999",
		violations: fake.violations,
		async [Symbol.asyncDispose]() {
			outbound.close();
			await fake[Symbol.asyncDispose]();
		},
	};
}

async function githubIssues(): Promise<TrackerWithIssues> {
	// Nothing of git is asked, so that the repositories need no folder.
	const fake = await FakeGitHub.listen(projectRoot);
	const outbound = new Outbound({ ...loadConfig({}).outbound, allow: [fake.url] });
	const open = (token: string) =>
		new GithubIssuesTracker({ token, base_url: fake.apiUrl, outbound, isConfigured: false });
	fake.state.users.push({ login: "ada", token: "ghp_ada" });
	const [api, other] = ["acme/api", "acme/other"].map((name) => fake.state.addRepository(name, projectRoot));
	return {
		tracker: open("ghp_ada"),
		stranger: open("wrong"),
		project: "acme/api",
		states: { first: "open", next: "closed" },
		add(title, project) {
			const repository = (project === "another" ? other : api) ?? expect.fail("no repository");
			const number = fake.state.issues.length + 1;
			fake.state.issues.push({ repository, number, title, state: "open" });
			return `acme/${repository.name}#${number}`;
		},
		absent: "acme/api#999",
		violations: fake.violations,
		async [Symbol.asyncDispose]() {
			outbound.close();
			await fake[Symbol.asyncDispose]();
		},
	};
}

describeIssueTracker("Linear", linear);
describeIssueTracker("GitHub Issues", githubIssues);
describeIssueTracker("Jira Cloud", () => jira("cloud"));
describeIssueTracker("Jira Data Center", () => jira("data-center"));
