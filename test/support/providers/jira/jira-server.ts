/** A Jira of either edition, which checks every request and every answer of its own (test/providers/jira). */
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type Context, OpenAPIBackend } from "openapi-backend";
import { parse } from "yaml";
import { readJql } from "./jql-reader.ts";
import { closeAtOnce, listenOnLoopback, loopbackUrl } from "../../machine/loopback-server.ts";

export type JiraEdition = "cloud" | "data-center";

/** An issue as its project keeps it. */
export interface JiraIssue {
	readonly number: number;
	readonly project: string;
	summary: string;
	status: string;
	assignee: string | null;
	labels: string[];
	priority: string | null;
	updated: number;
}

type Reply = readonly [status: number, body?: unknown];

const description = parse(readFileSync(new URL("../../../providers/jira/jira.yaml", import.meta.url), "utf8"));
/** The states of the workflow with what may follow, and the names of the steps. */
const workflow: Readonly<Record<string, readonly { id: string; name: string; to: string }[]>> = {
	"To Do": [{ id: "11", name: "Start work", to: "In Progress" }],
	"In Progress": [
		{ id: "21", name: "Stop work", to: "To Do" },
		{ id: "31", name: "Finish", to: "Done" },
	],
	Done: [{ id: "41", name: "Reopen", to: "To Do" }],
};

export class JiraServer implements AsyncDisposable {
	readonly edition: JiraEdition;
	readonly email = "ada@example.com";
	readonly token = `jira-${crypto.randomUUID()}`;
	readonly project = "API";
	readonly issues: JiraIssue[] = [];
	/** Requests of the platform, and answers of this server, that did not fit the description. */
	readonly violations: string[] = [];
	/** The queries that arrived. */
	readonly queries: string[] = [];
	readonly #server: Server;
	#time = 0;

	private constructor(edition: JiraEdition) {
		this.edition = edition;
		const api = new OpenAPIBackend({
			definition: description,
			quick: true,
			ajvOpts: { strict: false, coerceTypes: true },
		});
		this.#register(api);
		const { email, token } = this;
		const expected = edition === "cloud" ? `Basic ${base64(`${email}:${token}`)}` : `Bearer ${token}`;
		for (const scheme of ["basic", "bearer"])
			api.registerSecurityHandler(scheme, ({ request }) => request.headers["authorization"] === expected);
		this.#server = createServer((request, response) => void this.#serve(api, request, response));
	}

	static async start(edition: JiraEdition): Promise<JiraServer> {
		const jira = new JiraServer(edition);
		await listenOnLoopback(jira.#server);
		return jira;
	}

	get origin(): string {
		return loopbackUrl(this.#server);
	}

	/** Adds an issue to the project, or to another one, and returns its key. */
	add(
		issue: Partial<Omit<JiraIssue, "number" | "project" | "updated">> & { summary: string },
		isOfAnother = false,
	): string {
		const number = this.issues.length + 1;
		const project = isOfAnother ? "OTHER" : this.project;
		const usual = { status: "To Do", assignee: null, labels: [], priority: null };
		this.issues.push({ ...usual, ...issue, project, number, updated: ++this.#time });
		return `${project}-${number}`;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await closeAtOnce(this.#server);
	}

	async #serve(api: OpenAPIBackend, request: IncomingMessage, response: ServerResponse): Promise<void> {
		let body = "";
		for await (const chunk of request) body += String(chunk);
		const url = new URL(request.url ?? "/", "http://x");
		const [status, answer]: Reply = await api.handleRequest({
			method: request.method ?? "GET",
			path: url.pathname,
			query: Object.fromEntries(url.searchParams),
			headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
			body: body === "" ? undefined : JSON.parse(body),
		});
		response.writeHead(status, { "content-type": "application/json;charset=UTF-8" });
		response.end(answer === undefined ? undefined : JSON.stringify(answer));
	}

	#register(api: OpenAPIBackend): void {
		const withIssue = (answer: (issue: JiraIssue, context: Context) => Reply) => (context: Context) => {
			const issue = this.#find(String(context.request.params["key"]));
			return this.#guard(context) ?? (issue ? answer(issue, context) : failure(404, "Issue does not exist"));
		};
		api.register({
			myself: (context) => this.#guard(context) ?? [200, this.#me()],
			serverInfo: () => [200, this.#info()],
			searchCloud: (context) => this.#guard(context, "cloud") ?? this.#search(context),
			searchDataCenter: (context) => this.#guard(context, "data-center") ?? this.#search(context),
			issue: withIssue((issue) => [200, this.#wire(issue)]),
			transitions: withIssue((issue) => [200, { transitions: stepsOf(issue) }]),
			move: withIssue((issue, context) => this.#move(issue, context.request.requestBody)),
			unauthorizedHandler: () => failure(401, "You are not authenticated"),
			validationFail: (context) => {
				this.violations.push(JSON.stringify(context.validation.errors));
				return failure(400, "The request does not fit");
			},
			notFound: (context) => {
				this.violations.push(`${context.request.method} ${context.request.path} does not exist`);
				return failure(404, "No such path");
			},
			postResponseHandler: (context) => this.#checked(api, context),
		});
		void api.init();
	}

	#checked(api: OpenAPIBackend, { response, operation }: Context): unknown {
		const [status, body] = response as Reply;
		if (status !== 200) return response;
		const { errors } = api.validateResponse(body, operation, status);
		if (errors) this.violations.push(`${operation.operationId}: ${JSON.stringify(errors.slice(0, 3))}`);
		return response;
	}

	/** Returns the refusal of a path that this edition does not have. */
	#guard({ request }: Context, edition = this.edition): Reply | undefined {
		const isOther = edition !== this.edition || (request.params["version"] === "3" && this.edition !== "cloud");
		return isOther ? failure(404, "No such path") : undefined;
	}

	#find(key: string): JiraIssue | undefined {
		return this.issues.find(({ number, project }) => [`${project}-${number}`, String(10_000 + number)].includes(key));
	}

	#search({ request }: Context): Reply {
		const { jql, maxResults = 50 } = request.query as { jql: string; maxResults?: number };
		this.queries.push(jql);
		let found: JiraIssue[];
		try {
			found = this.#matching(jql);
		} catch (error) {
			return failure(400, (error as Error).message);
		}
		const issues = found.slice(0, maxResults).map((issue) => this.#wire(issue));
		if (this.edition === "cloud") return [200, { issues, isLast: issues.length === found.length }];
		return [200, { issues, startAt: 0, maxResults: Number(maxResults), total: found.length }];
	}

	#matching(jql: string): JiraIssue[] {
		const { project, words = [] } = readJql(jql);
		if (project !== undefined && project !== this.project)
			throw new Error(`The value '${project}' does not exist for the field 'project'.`);
		return this.issues
			.filter((issue) => project === undefined || issue.project === project)
			.filter(({ summary }) => words.every((word) => summary.toLowerCase().includes(word)))
			.toSorted((one, other) => other.updated - one.updated);
	}

	#move(issue: JiraIssue, { transition }: { transition: { id: string } }): Reply {
		const step = workflow[issue.status]?.find(({ id }) => id === transition.id);
		if (!step) return failure(400, `Transition id '${transition.id}' is not valid for this issue.`);
		issue.status = step.to;
		issue.updated = ++this.#time;
		return [204];
	}

	#me(): object {
		const user = { displayName: "Ada Lovelace", emailAddress: this.email };
		return this.edition === "cloud" ? { ...user, accountId: "5b10" } : { ...user, key: "ada", name: "ada" };
	}

	#info(): object {
		const isCloud = this.edition === "cloud";
		const baseUrl = this.origin;
		return {
			baseUrl,
			version: isCloud ? "1001.0.0" : "9.12.4",
			deploymentType: isCloud ? "Cloud" : "Server",
			serverTitle: "Engine",
		};
	}

	#wire({ number, project, summary, status, assignee, labels, priority }: JiraIssue): object {
		return {
			id: String(10_000 + number),
			key: `${project}-${number}`,
			self: `${this.origin}/rest/api/2/issue/${10_000 + number}`,
			fields: {
				summary,
				status: statusOf(status),
				assignee: assignee === null ? null : { displayName: assignee },
				labels,
				priority: priority === null ? null : { id: "3", name: priority },
			},
		};
	}
}

function base64(text: string): string {
	return Buffer.from(text).toString("base64");
}

function stepsOf({ status }: JiraIssue): object[] {
	return (workflow[status] ?? []).map(({ id, name, to }) => ({ id, name, to: statusOf(to) }));
}

function statusOf(name: string): { id: string; name: string } {
	return { id: String(Object.keys(workflow).indexOf(name) + 1), name };
}

function failure(status: number, message: string): Reply {
	return [status, { errorMessages: [message], errors: {} }];
}
