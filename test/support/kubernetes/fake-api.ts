/**
 * An API server of a cluster in memory, over HTTPS on a free port of loopback. It answers as the real one does, checks objects by the
 * published schemas, and a test says which calls fail, and how.
 */
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCertificate } from "../bus/test-certificates.ts";
import { type ApiAnswer, type ApiQuestion, answerQuestion } from "./api-answers.ts";
import { ClusterObjects, ClusterRefusal } from "./cluster-objects.ts";
import { asSeenBy, type Change } from "./label-selection.ts";

/** A fault of one call. */
export type ApiFault =
	/** It answers so, before or after it has done what was asked. */
	| { readonly answers: ApiAnswer; readonly when: "before" | "after" }
	/** It does what was asked and never answers. */
	| "silence"
	/** It closes the connection after it has done what was asked. */
	| "reset"
	/** It sends the half of its answer. */
	| "half";

interface PlannedFault {
	/** A beginning such as `POST /api/v1/namespaces/sessions/pods`. */
	readonly of: string;
	readonly fault: ApiFault;
	left: number;
}

export class FakeApi implements AsyncDisposable {
	readonly cluster = new ClusterObjects();
	/** The calls that have come, such as `GET /api/v1/namespaces/sessions/pods?limit=500`. */
	readonly calls: string[] = [];
	/** The tokens that it knows. */
	readonly tokens = new Set(["token-of-the-platform"]);
	readonly folder = mkdtempSync(join(tmpdir(), "atelier-kube-"));
	readonly ca: string;
	/** The connections that were made. */
	connections = 0;
	readonly #server: Server;
	readonly #watches = new Map<ServerResponse, { readonly hasBookmarks: boolean }>();
	readonly #faults: PlannedFault[] = [];

	private constructor() {
		const { cert, key } = makeCertificate(this.folder, "apiserver");
		this.ca = readFileSync(cert, "utf8");
		this.#server = createServer({ cert: this.ca, key: readFileSync(key) }, (request, response) => {
			void this.#take(request, response);
		});
		this.#server.on("secureConnection", () => this.connections++);
	}

	static async start(): Promise<FakeApi> {
		const api = new FakeApi();
		await api.listen();
		return api;
	}

	get port(): number {
		return (this.#server.address() as AddressInfo).port;
	}

	get watches(): number {
		return this.#watches.size;
	}

	/** Lets the next calls fail. */
	fail(of: string, fault: ApiFault, times = 1): void {
		this.#faults.push({ of, fault, left: times });
	}

	/** Sends a bookmark to the watches that want one. */
	bookmark(): void {
		const object = { kind: "Pod", apiVersion: "v1", metadata: { resourceVersion: String(this.cluster.version) } };
		for (const [watch, { hasBookmarks }] of this.#watches)
			if (hasBookmarks) watch.write(`${JSON.stringify({ type: "BOOKMARK", object })}\n`);
	}

	/** Writes to all watches. */
	say(text: string): void {
		for (const watch of this.#watches.keys()) watch.write(text);
	}

	/** Ends all watches, in order or by closing their connections. */
	endWatches(how: "orderly" | "reset" = "orderly"): void {
		for (const watch of this.#watches.keys()) {
			if (how === "orderly") watch.end();
			else watch.destroy();
		}
	}

	/** @param port Default: a free one. */
	async listen(port = 0): Promise<void> {
		this.#server.listen(port, "127.0.0.1");
		await once(this.#server, "listening");
	}

	/** Ends all connections, as a server does that is killed. */
	async stop(): Promise<void> {
		const closed = once(this.#server, "close");
		this.#server.close();
		this.#server.closeAllConnections();
		await closed;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		if (this.#server.listening) await this.stop();
		rmSync(this.folder, { recursive: true, force: true });
	}

	async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const call = `${request.method ?? ""} ${request.url ?? ""}`;
		this.calls.push(call);
		const question = await questionOf(request);
		const fault = this.#faultOf(call);
		if (typeof fault === "object" && fault.when === "before") return respond(response, fault.answers);
		const { authorization = "" } = request.headers;
		if (!this.tokens.has(authorization.replace("Bearer ", ""))) return respond(response, unauthorized);
		if (question.query.get("watch") === "true") return this.#watch(question, response);
		this.#answer(response, answerQuestion(this.cluster, question), fault);
	}

	#answer(response: ServerResponse, answer: ApiAnswer, fault: ApiFault | undefined): void {
		if (fault === "silence") return;
		if (fault === "reset") response.destroy();
		else respond(response, typeof fault === "object" ? fault.answers : answer, fault === "half");
	}

	#faultOf(call: string): ApiFault | undefined {
		const planned = this.#faults.find(({ of, left }) => left > 0 && call.startsWith(of));
		if (planned) planned.left--;
		return planned?.fault;
	}

	#watch({ path, query }: ApiQuestion, response: ServerResponse): void {
		const selector = query.get("labelSelector") ?? "";
		let since: Change[];
		try {
			since = this.cluster.changesSince(Number(query.get("resourceVersion")), path, selector);
		} catch (error) {
			if (!(error instanceof ClusterRefusal)) throw error;
			return respond(response, { status: error.code, body: error.body });
		}
		response.writeHead(200, { "content-type": "application/json" }).flushHeaders();
		const tell = ({ type, object }: Change): void => void response.write(`${JSON.stringify({ type, object })}\n`);
		for (const change of since) tell(change);
		const unlisten = this.cluster.listen((change) => {
			const seen = change.collection === path ? asSeenBy(change, selector) : undefined;
			if (seen) tell(seen);
		});
		this.#watches.set(response, { hasBookmarks: query.get("allowWatchBookmarks") === "true" });
		response.on("close", () => {
			unlisten();
			this.#watches.delete(response);
		});
	}
}

async function questionOf(request: IncomingMessage): Promise<ApiQuestion> {
	const { pathname, searchParams } = new URL(request.url ?? "", "https://api");
	const { "content-type": form = "", "content-length": length, accept = "" } = request.headers;
	const method = request.method ?? "";
	let text = "";
	for await (const chunk of request) text += String(chunk);
	// The real server does not look at a body of DELETE whose length is not told.
	const body = method === "DELETE" && length === undefined ? "" : text;
	return { method, path: pathname, query: searchParams, form, accept, body };
}

const unauthorized: ApiAnswer = {
	status: 401,
	body: { kind: "Status", status: "Failure", message: "Unauthorized", reason: "Unauthorized", code: 401 },
};

function respond(response: ServerResponse, { status, body, headers = {} }: ApiAnswer, isHalf = false): void {
	const text = typeof body === "string" ? body : JSON.stringify(body);
	response.writeHead(status, {
		"content-type": "application/json",
		"content-length": Buffer.byteLength(text),
		...headers,
	});
	if (!isHalf) return void response.end(text);
	response.write(text.slice(0, Math.floor(text.length / 2)), () => response.destroy());
}
