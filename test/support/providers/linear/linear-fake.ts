/**
 * A Linear on loopback: a workspace with teams, states and issues behind the real GraphQL schema (test/providers/linear). It
 * refuses requests that the schema does not allow, and an answer of its own that does not fit is an error.
 */
import { buildSchema, execute, type GraphQLSchema, GraphQLError, parse, validate } from "graphql";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { nameBasedUuid } from "#shared/base/ids/name-based-uuid.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { closeAtOnce, listenOnLoopback } from "../../machine/loopback-server.ts";

const states = ["Backlog", "Todo", "In Progress", "Done", "Canceled"].map((name) => ({ id: `state-${name}`, name }));

/** The part of an issue that tests give. */
export interface FakeIssue {
	readonly identifier: string;
	readonly title: string;
	readonly project?: string;
	readonly state?: string;
	readonly labels?: readonly string[];
}

interface StoredIssue {
	id: string;
	identifier: string;
	title: string;
	url: string;
	priority: number;
	project: string;
	team: { id: string; key: string; states: { nodes: typeof states } };
	state: (typeof states)[number];
	assignee: { id: string; displayName: string } | null;
	labels: { nodes: { name: string }[] };
	/** Grows with every change. */
	updated: number;
}

interface Comparator {
	readonly eq?: string;
}

interface Filter {
	readonly or?: readonly Filter[];
	readonly project?: { readonly id?: Comparator; readonly slugId?: Comparator };
	readonly team?: { readonly key?: Comparator };
}

/** Writes an answer instead of the fake; returns false to let the fake answer. */
export type LinearFault = (response: ServerResponse, operation: string) => boolean;

/** The fake server. */
export class LinearFake implements AsyncDisposable {
	readonly #schema: GraphQLSchema;
	readonly #server = createServer((request, response) => void this.#serve(request, response));
	/** The names of the people by their keys. */
	readonly keys = new Map<string, string>();
	readonly issues: StoredIssue[] = [];
	/** The operations in the order in which they arrived, also those that were answered by a fault. */
	readonly operations: string[] = [];
	/** Requests and answers that do not fit the schema. */
	readonly violations: GraphQLError[] = [];
	/** Faults for the next requests; each is used until it returns false. */
	fault: LinearFault | undefined;
	#changes = 0;

	constructor() {
		this.#schema = buildSchema(readFileSync(join(projectRoot, "test/providers/linear/schema.graphql"), "utf8"));
	}

	/** The URL of its GraphQL interface. */
	get url(): string {
		const { port } = this.#server.address() as AddressInfo;
		return `http://127.0.0.1:${port}/graphql`;
	}

	async listen(): Promise<this> {
		await listenOnLoopback(this.#server);
		return this;
	}

	/** Adds an issue; the team is the first part of its identifier. */
	add({ identifier, title, project = "project-1", state = "Todo", labels = [] }: FakeIssue): void {
		const [key = ""] = identifier.split("-");
		this.issues.push({
			id: nameBasedUuid("linear-fake", identifier),
			identifier,
			title,
			url: `https://linear.app/acme/issue/${identifier}`,
			priority: 2,
			project,
			team: { id: `team-${key}`, key, states: { nodes: states } },
			state: stateNamed(state),
			assignee: { id: "u1", displayName: "ada" },
			labels: { nodes: labels.map((name) => ({ name })) },
			updated: ++this.#changes,
		});
	}

	/** Returns the name of the state of an issue. */
	stateOf(identifier: string): string | undefined {
		return this.#known(identifier)?.state.name;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await closeAtOnce(this.#server);
	}

	async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const { query = "", variables = {} } = JSON.parse(await bodyOf(request)) as { query?: string; variables?: object };
		const operation = /^(?:query|mutation) (\w+)/.exec(query)?.[1] ?? "";
		this.operations.push(operation);
		if (this.fault?.(response, operation)) return;
		const name = this.keys.get(request.headers.authorization ?? "");
		if (name === undefined) return send(response, 401, refusal("Authentication required", "AUTHENTICATION_ERROR"));
		const { status, body } = await this.#executed(name, query, variables);
		send(response, status, body);
	}

	/** Runs a request against the schema, and notes what does not fit it. */
	async #executed(name: string, query: string, variables: object): Promise<{ status: number; body: object }> {
		const document = parse(query);
		const wrong = validate(this.#schema, document);
		this.violations.push(...wrong);
		if (wrong.length > 0) return { status: 400, body: { errors: wrong } };
		const rootValue = this.#root(name);
		const body = await execute({ schema: this.#schema, document, rootValue, variableValues: { ...variables } });
		this.violations.push(...(body.errors ?? []).filter(({ extensions }) => extensions["code"] === undefined));
		return { status: 200, body };
	}

	#root(displayName: string) {
		const organization = { id: "o1", name: "Acme" };
		return {
			viewer: { id: "u1", displayName, email: `${displayName}@acme.example`, organization },
			searchIssues: ({ term, first, filter }: { term: string; first?: number; filter?: Filter }) => ({
				nodes: this.#filtered(filter)
					.filter(({ title }) => hasWord(title, term))
					.slice(0, first),
			}),
			issues: ({ first, filter }: { first?: number; filter?: Filter }) => ({
				nodes: this.#filtered(filter)
					.toSorted((a, b) => b.updated - a.updated)
					.slice(0, first),
			}),
			issue: ({ id }: { id: string }) => this.#known(id) ?? notFound(),
			issueUpdate: ({ id, input }: { id: string; input: { stateId?: string } }) => {
				const issue = this.#known(id) ?? notFound();
				issue.state = states.find((state) => state.id === input.stateId) ?? notFound();
				issue.updated = ++this.#changes;
				return { success: true, issue };
			},
		};
	}

	#known(id: string): StoredIssue | undefined {
		return this.issues.find((issue) => issue.id === id || issue.identifier === id);
	}

	#filtered(filter: Filter | undefined): StoredIssue[] {
		return this.issues.filter((issue) => filter === undefined || fits(issue, filter));
	}
}

/** Starts a fake that one person may use. */
export async function startLinearFake(key = "lin_api_ada", person = "ada"): Promise<LinearFake> {
	const fake = await new LinearFake().listen();
	fake.keys.set(key, person);
	return fake;
}

function fits(issue: StoredIssue, { or, project, team }: Filter): boolean {
	if (or) return or.some((one) => fits(issue, one));
	return isEqual(issue.project, project?.id ?? project?.slugId) && isEqual(issue.team.key, team?.key);
}

function isEqual(value: string, comparator: Comparator | undefined): boolean {
	return comparator?.eq === undefined || comparator.eq === value;
}

function hasWord(title: string, term: string): boolean {
	const words = term.toLowerCase().split(/\s+/);
	return words.some((word) => title.toLowerCase().includes(word));
}

function stateNamed(wanted: string): (typeof states)[number] {
	return states.find(({ name }) => name === wanted) ?? notFound();
}

function notFound(): never {
	throw new GraphQLError("Entity not found: Issue", { extensions: { code: "INPUT_ERROR" } });
}

function refusal(message: string, code: string): object {
	return { errors: [{ message, extensions: { code } }] };
}

function send(response: ServerResponse, status: number, body: object): void {
	response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks).toString();
}
