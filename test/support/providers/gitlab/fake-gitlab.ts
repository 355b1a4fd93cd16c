/**
 * A stateful GitLab on loopback. Each request and each answer is checked against our description of GitLab's calls, and
 * heads, files and merges are those of real repositories.
 */
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import { type Context, type Document, OpenAPIBackend } from "openapi-backend";
import { parse } from "yaml";
import { projectRoot } from "#shared/base/project-root.ts";
import { GitLabAnswers, type Json } from "./gitlab-answers.ts";
import { type Answer, gitlabOperations } from "./gitlab-operations.ts";
import { GitLabState } from "./gitlab-state.ts";
import { closeAtOnce, listenOnLoopback, loopbackUrl } from "../../machine/loopback-server.ts";

const apiRoot = "/api/v4";
const description = join(projectRoot, "test/providers/gitlab/gitlab-calls.yaml");

export class FakeGitLab implements AsyncDisposable {
	readonly state = new GitLabState();
	/** The requests and answers that contradict the description. A test should find none. */
	readonly violations: unknown[] = [];
	readonly #server: Server;
	#api: OpenAPIBackend | undefined;

	private constructor() {
		this.#server = createServer((request, response) => {
			this.#serve(request, response).catch((error: unknown) => {
				this.violations.push(String(error));
				response.destroy();
			});
		});
	}

	static async listen(): Promise<FakeGitLab> {
		const fake = new FakeGitLab();
		await listenOnLoopback(fake.#server);
		await fake.#open();
		return fake;
	}

	/** The address of the web pages, and the `base_url` of a provider. */
	get url(): string {
		return loopbackUrl(this.#server);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await closeAtOnce(this.#server);
	}

	async #open(): Promise<void> {
		const api = new OpenAPIBackend({
			definition: parse(readFileSync(description, "utf8")) as Document,
			apiRoot,
			quick: true,
			coerceTypes: true,
			ajvOpts: { strict: false, validateFormats: false, coerceTypes: "array" },
		});
		const operations = gitlabOperations(this.state, new GitLabAnswers(this.state, this.url));
		for (const [id, operation] of Object.entries(operations))
			api.register(id, ({ request }: Context) =>
				operation({
					params: decodedMembers(request.params),
					query: request.query as Record<string, string | string[]>,
					body: (request.requestBody ?? {}) as Json,
					username: this.#usernameOf(request.headers["authorization"]),
				}),
			);
		api.register({
			validationFail: ({ operation, validation }: Context): Answer => {
				this.violations.push({ operation: operation?.operationId, errors: validation.errors });
				return [400, { error: "the request is not described" }];
			},
			notFound: ({ request }: Context): Answer => {
				this.violations.push(`There is no call ${request.method} ${request.path}`);
				return [404, { error: "404 Not Found" }];
			},
			postResponseHandler: ({ response, operation, request }: Context): Answer => {
				const [status, body] = response as Answer;
				const answer = pageOf(body, request.query);
				const errors = operation && status < 300 ? api.validateResponse(answer, operation, status).errors : undefined;
				if (errors) this.violations.push({ answer: operation?.operationId, errors: errors.slice(0, 3) });
				return [status, answer];
			},
		});
		await api.init();
		this.#api = api;
	}

	#usernameOf(authorization: string | readonly string[] | undefined): string | undefined {
		const token = String(authorization ?? "").replace(/^bearer /i, "");
		return this.state.users.find((user) => user.token === token)?.username;
	}

	async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const { pathname, searchParams } = new URL(request.url ?? "/", this.url);
		const { method = "GET", headers } = request;
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const text = Buffer.concat(chunks).toString();
		if (headers.authorization !== undefined && this.#usernameOf(headers.authorization) === undefined)
			return send(response, [401, { message: "401 Unauthorized" }]);
		const query = Object.fromEntries(
			[...searchParams.keys()].map((name) => {
				const values = searchParams.getAll(name);
				return [name, values.length > 1 ? values : (values[0] ?? "")];
			}),
		);
		const answer: Answer = await this.#api?.handleRequest({
			method,
			path: pathname,
			query,
			headers: headers as Record<string, string>,
			body: text === "" ? undefined : JSON.parse(text),
		});
		send(response, answer, { "x-next-page": nextPage(answer, searchParams) });
	}
}

function decodedMembers(values: object): Record<string, string> {
	return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, decodeURIComponent(String(value))]));
}

function asked(query: Context["request"]["query"]): { size: number; page: number } {
	return { size: Math.min(Number(query["per_page"] ?? 20), 100), page: Number(query["page"] ?? 1) };
}

/** Lists are cut here, for all operations alike. */
function pageOf(body: unknown, query: Context["request"]["query"]): unknown {
	if (!Array.isArray(body)) return body;
	const { size, page } = asked(query);
	return body.slice((page - 1) * size, page * size);
}

/** A full page may have a next one; the last one may be empty. */
function nextPage([, body]: Answer, query: URLSearchParams): string {
	const { size, page } = asked(Object.fromEntries(query));
	return Array.isArray(body) && body.length === size ? String(page + 1) : "";
}

function send(response: ServerResponse, [status, body]: Answer, headers: Record<string, string> = {}): void {
	response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}
