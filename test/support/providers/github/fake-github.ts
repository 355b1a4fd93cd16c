/**
 * A stateful GitHub on loopback. Each request and each answer is checked against GitHub's own description, and heads,
 * files and merges are those of real repositories. It serves the API at `/api/v3`, as an Enterprise Server does, and git
 * over HTTP at all other paths.
 */
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import { type Context, type Document, OpenAPIBackend } from "openapi-backend";
import { projectRoot } from "#shared/base/project-root.ts";
import { runBackend } from "../../repositories/git-http-server.ts";
import { type Example, GitHubAnswers, type Json } from "./github-answers.ts";
import { issueOperations } from "./github-issues.ts";
import { type Answer, askedOf, githubOperations, listOperations } from "./github-operations.ts";
import { GitHubState } from "./github-state.ts";
import { reachableServer } from "../../machine/reachable-url.ts";
import { closeAtOnce, listenOnLoopback, loopbackUrl } from "../../machine/loopback-server.ts";

const apiRoot = "/api/v3";
const descriptions = join(projectRoot, "test/providers/github");

/** One request that the fake got. */
export interface FakeRequest {
	readonly method: string;
	readonly path: string;
	readonly authorization: string | undefined;
}

interface Description extends Json {
	paths: Json;
	components: { schemas: Json };
}

export class FakeGitHub implements AsyncDisposable {
	readonly state = new GitHubState();
	/** The requests and answers that contradict the description. A test should find none. */
	readonly violations: unknown[] = [];
	readonly requests: FakeRequest[] = [];
	/** The next answers of the API, instead of those of the state; the oldest first. */
	readonly faults: ((response: ServerResponse) => void)[] = [];
	readonly #server: Server;
	readonly #folder: string;
	#api: OpenAPIBackend | undefined;
	#url = "";

	private constructor(folder: string) {
		this.#folder = folder;
		this.#server = createServer((request, response) => {
			response.on("error", () => {});
			this.#serve(request, response).catch((error: unknown) => {
				this.violations.push(String(error));
				response.destroy();
			});
		});
	}

	/** @param folder The folder below which repositories are at `<owner>/<name>.git`. */
	static async listen(folder: string): Promise<FakeGitHub> {
		const fake = new FakeGitHub(folder);
		await listenOnLoopback(fake.#server);
		fake.#url = await reachableServer(loopbackUrl(fake.#server));
		await fake.#open();
		return fake;
	}

	/** The address of web pages and of git. */
	get url(): string {
		return this.#url;
	}

	/** The address of the API: the `base_url` of a provider. */
	get apiUrl(): string {
		return `${this.url}${apiRoot}`;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await closeAtOnce(this.#server);
	}

	async #open(): Promise<void> {
		const api = new OpenAPIBackend({
			definition: definition(),
			apiRoot,
			quick: true,
			coerceTypes: true,
			ajvOpts: { strict: false, validateFormats: false, coerceTypes: "array" },
		});
		const example: Example = (operation, status = 200) =>
			structuredClone(api.mockResponseForOperation(operation, { code: status }).mock);
		const answers = new GitHubAnswers(example, this.state, this.url);
		const operations = { ...githubOperations(this.state, answers), ...issueOperations(this.state, answers) };
		for (const [id, operation] of Object.entries(operations))
			api.register(id, (context: Context) => operation(askedOf(context, this.#loginOf(headerOf(context)))));
		api.register({
			validationFail: (context: Context): Answer => {
				this.violations.push({ operation: context.operation?.operationId, errors: context.validation.errors });
				return [422, { message: "Validation Failed", documentation_url: "https://docs.github.com/rest" }];
			},
			notFound: (): Answer => [404, { message: "Not Found" }],
			notImplemented: ({ operation }: Context): Answer => {
				this.violations.push(`The fake does not have ${operation?.operationId}`);
				return [501, { message: "Not implemented" }];
			},
			postResponseHandler: (context: Context) => this.#checked(api, context),
		});
		await api.init();
		this.#api = api;
	}

	#checked(api: OpenAPIBackend, { response, operation, request }: Context): Answer {
		const [status, body] = response as Answer;
		const answer =
			operation?.operationId !== undefined && listOperations.has(operation.operationId)
				? pageOf(body, request.query)
				: body;
		if (operation?.operationId && status < 300) {
			const { errors } = api.validateResponse(answer, operation, status);
			if (errors) this.violations.push({ answer: operation.operationId, errors: errors.slice(0, 3) });
		}
		return [status, answer];
	}

	/** A wrong token is refused before anything else, as GitHub does. */
	#loginOf(authorization: string | undefined): string | undefined {
		const token = (authorization ?? "").replace(/^(bearer|token) /i, "");
		return this.state.users.find((user) => user.token === token)?.login;
	}

	async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const { pathname, searchParams } = new URL(request.url ?? "/", this.url);
		const { method = "GET", headers } = request;
		if (!pathname.startsWith(`${apiRoot}/`)) return this.#serveGit(request, response);
		this.requests.push({ method, path: pathname, authorization: headers.authorization });
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const fault = this.faults.shift();
		if (fault) return fault(response);
		if (headers.authorization !== undefined && this.#loginOf(headers.authorization) === undefined)
			return send(response, [401, { message: "Bad credentials", documentation_url: "https://docs.github.com/rest" }]);
		const text = Buffer.concat(chunks).toString();
		const answer: Answer = await this.#api?.handleRequest({
			method,
			path: pathname,
			query: Object.fromEntries(searchParams),
			headers: headers as Record<string, string>,
			body: text === "" ? undefined : JSON.parse(text),
		});
		send(response, answer, linkOf(answer, `${this.url}${pathname}`, searchParams));
	}

	/** Git asks without a credential first; repositories with members want one. */
	#serveGit(request: IncomingMessage, response: ServerResponse): void {
		const [, owner = "", name = ""] = (request.url ?? "").split("/");
		const [, password] = Buffer.from((request.headers.authorization ?? "").replace(/^Basic /i, ""), "base64")
			.toString()
			.split(":");
		const repository = this.state.visible(owner, name.replace(/\.git$/, ""), this.#loginOf(password));
		const isPush = (request.url ?? "").includes("git-receive-pack");
		if (repository && (!isPush || this.#loginOf(password) !== undefined)) runBackend(this.#folder, request, response);
		else response.writeHead(401, { "www-authenticate": 'Basic realm="GitHub"' }).end();
	}
}

function definition(): Document {
	const read = (file: string): Description => JSON.parse(readFileSync(join(descriptions, file), "utf8"));
	const [main, added] = [read("github.min.json"), read("added-operations.json")];
	const schemas = { ...main.components.schemas, ...added.components.schemas };
	const whole: unknown = {
		...main,
		paths: { ...main.paths, ...added.paths },
		components: { ...main.components, schemas },
	};
	return withNulls(whole) as Document;
}

/** The description means null among the values of a nullable enumeration, and of a form without a type. */
function withNulls(part: unknown): unknown {
	if (Array.isArray(part)) return part.map(withNulls);
	if (typeof part !== "object" || part === null) return part;
	const members: Json = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, withNulls(value)]));
	const { enum: values, nullable, ...rest } = members;
	if (nullable === true && values === undefined && rest["type"] === undefined)
		return { anyOf: [rest, { enum: [null] }] };
	return Array.isArray(values) && nullable === true ? { ...members, enum: [...values, null] } : members;
}

function headerOf({ request }: Context): string | undefined {
	const { authorization } = request.headers;
	return typeof authorization === "string" ? authorization : undefined;
}

function pageOf(body: unknown, query: Context["request"]["query"]): unknown {
	if (!Array.isArray(body)) return body;
	const { size, page } = pageAsked(query);
	return body.slice((page - 1) * size, page * size);
}

function pageAsked(query: Context["request"]["query"]): { size: number; page: number } {
	return { size: Math.min(Number(query["per_page"] ?? 30), 100), page: Number(query["page"] ?? 1) };
}

/** A full page may have a next one. */
function linkOf([, body]: Answer, url: string, query: URLSearchParams): Record<string, string> {
	const { size, page } = pageAsked(Object.fromEntries(query));
	if (!Array.isArray(body) || body.length < size) return {};
	const next = new URLSearchParams(query);
	next.set("page", String(page + 1));
	return { link: `<${url}?${next}>; rel="next"` };
}

function send(response: ServerResponse, [status, body]: Answer, headers: Record<string, string> = {}): void {
	response
		.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers })
		.end(JSON.stringify(body));
}
