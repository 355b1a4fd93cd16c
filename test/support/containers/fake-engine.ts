/**
 * A container engine without containers, at a Unix socket: it answers as Docker does (API 1.41), and a test says what becomes of each
 * container, which calls are refused, and when it stops. The agents of its containers are played by the test.
 */
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import {
	createServer,
	type IncomingMessage,
	request as httpRequest,
	type Server,
	type ServerResponse,
} from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseLaunch } from "#services/pod-manager/pod-runtimes/launches/launch.ts";
import { idlePodToken } from "../pods/idle-runtime-host.ts";
import { doorPaths } from "#shared/wire/pod/door/door-paths.ts";
import {
	containerEvent,
	exited,
	inspectedAs,
	listedAs,
	type FakeContainer,
	type FakeEnd,
	probeOutput,
} from "./fake-container.ts";

/** An answer that a test has asked for. */
interface Refusal {
	readonly status: number;
	readonly message: string;
}

type Send = (status: number, body?: unknown) => void;

export class FakeEngine implements AsyncDisposable {
	readonly root = realpathSync(mkdtempSync(join(tmpdir(), "atelier-engine-")));
	readonly socket = join(this.root, "engine.sock");
	/** The containers by name. */
	readonly containers = new Map<string, FakeContainer>();
	/** The calls that have come, such as `POST /containers/session-…/start`. */
	readonly calls: string[] = [];
	/** Learns of each call when it comes. */
	heard: (call: string) => void = () => {};
	/** The refusals of the next creations, starts and changes of names. */
	refused: { create?: Refusal; start?: Refusal; rename?: Refusal } = {};
	/** Does the work of a short container; resolves to its exit code. Default: it does nothing. */
	work: (container: FakeContainer) => Promise<number> = async () => 0;
	/** Whether it refuses what it does not know, as another filter than that of the project does. */
	isStrange = false;
	/** The calls that it carries out no more, and does not answer. */
	silent: (call: string) => boolean = () => false;
	/** The id of every image. */
	imageId = "sha256:1";
	/** The system of its containers, as it names it. */
	system = "Debian";
	/** Whether it has every image. */
	hasImages = true;
	/** Whether short containers run until somebody stops them. */
	isEndless = false;
	/** Whether creations are carried out without an answer. */
	isMute = false;
	/** Whether containers go on without it. */
	keepsContainers = false;
	/** Whether stops are answered at once; otherwise when the container has ended. */
	isObeyed = true;
	/** The end of the next short containers; undefined: they run on. */
	shortEnd: (container: FakeContainer) => FakeEnd | undefined = (container) => ({
		code: 0,
		log: probeOutput(container),
	});
	#server: Server | undefined;
	readonly #streams = new Set<ServerResponse>();

	async start(): Promise<void> {
		this.#server = createServer((request, response) => void this.#answer(request, response));
		this.#server.listen(this.socket);
		await once(this.#server, "listening");
	}

	/** Ends its connections, as an engine does that is stopped or killed. */
	async stop(): Promise<void> {
		const server = this.#server;
		this.#server = undefined;
		if (!server) return;
		const closed = once(server, "close");
		server.close();
		server.closeAllConnections();
		this.#streams.clear();
		await closed;
	}

	/** Whether somebody listens to its events. */
	get isFollowed(): boolean {
		return this.#streams.size > 0;
	}

	/** Ends a container. */
	end(name: string, how: Parameters<typeof exited>[1]): void {
		const container = this.#containerOf(name);
		this.containers.set(name, exited(container, how));
		this.tell(name, "die");
	}

	/** Lets a container have started earlier. */
	startedBefore(name: string, ms: number): void {
		this.containers.set(name, { ...this.#containerOf(name), startedAt: new Date(Date.now() - ms) });
	}

	/** Lets a container have been created some time ago and not started since. */
	unstarted(name: string, ms: number): void {
		const { startedAt: _none, ...container } = this.#containerOf(name);
		this.containers.set(name, { ...container, status: "created", createdAt: new Date(Date.now() - ms) });
	}

	/** Sends an event to everybody who listens. */
	tell(name: string, action: string, attributes: Record<string, string> = {}): void {
		const line = `${JSON.stringify(containerEvent(this.#containerOf(name), action, attributes))}\n`;
		for (const stream of this.#streams) stream.write(line);
	}

	/** Sends a status as the agent of a container does. @param name The name of a launch's container. */
	async report(name: string, status: object): Promise<void> {
		const { mounts } = this.#containerOf(name);
		const socketPath = join(mounts["/run/atelier/in"] ?? "", "api.sock");
		const launch = parseLaunch(name.replace("session-", ""));
		if (!launch) throw new TypeError(`"${name}" is the container of no launch`);
		const headers = { authorization: `Bearer ${idlePodToken(launch.sessionId, launch.generation)}` };
		const outgoing = httpRequest({ socketPath, method: "POST", path: doorPaths.status, headers, agent: false });
		outgoing.end(JSON.stringify({ pid: 1, timings: { spawned: new Date().toISOString() }, ...status }));
		const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
		answer.resume();
		if (answer.statusCode !== 204) throw new Error(`The door has answered ${answer.statusCode}`);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.stop();
		rmSync(this.root, { recursive: true, force: true });
	}

	#containerOf(name: string): FakeContainer {
		const container = this.containers.get(name);
		if (!container) throw new Error(`There is no container "${name}"`);
		return container;
	}

	async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const { pathname, searchParams } = new URL(request.url ?? "", "http://engine");
		const name = searchParams.get("name") ?? "";
		const path = pathname.replace("/v1.41", "");
		const method = request.method ?? "";
		this.calls.push(`${method} ${path}`);
		this.heard(`${method} ${path}`);
		if (this.silent(`${method} ${path}`)) return;
		const text = await textOf(request);
		const send = (status: number, body?: unknown): void => {
			if (this.isMute && path === "/containers/create") return void response.destroy();
			response.writeHead(status, { "content-type": "application/json" });
			response.end(body === undefined ? undefined : JSON.stringify(body));
		};
		if (path === "/events") this.#follow(response);
		else if (path === "/containers/create") this.#create(name, text, send);
		else if (path === "/containers/json") send(200, listedAs(this.containers, searchParams.get("filters")));
		else if (path.startsWith("/containers/")) await this.#answerAbout({ method, path, other: name }, response, send);
		else send(...this.#told(path));
	}

	/** Returns what it tells of itself. */
	#told(path: string): [status: number, body: object] {
		if (path === "/info")
			return [200, { ID: "fake", OperatingSystem: this.system, LiveRestoreEnabled: this.keepsContainers }];
		if (path.startsWith("/images/") && !this.hasImages) return [404, { message: "No such image" }];
		if (path.startsWith("/images/")) return [200, { Id: this.imageId, Config: {} }];
		return [this.isStrange ? 403 : 404, { message: `Not answered: ${path}` }];
	}

	async #answerAbout(
		{ method, path, other }: { method: string; path: string; other: string },
		response: ServerResponse,
		send: Send,
	): Promise<void> {
		const [, , name = "", what = ""] = path.split("/");
		const container = this.containers.get(name);
		if (!container) return send(404, { message: `No such container: ${name}` });
		if (method === "DELETE") return this.#remove(container, send);
		if (method === "GET") return this.#describe(container, what, response, send);
		const changes: Record<string, () => void | Promise<void>> = {
			start: () => this.#run(container, send),
			stop: () => this.#end(container, response, send),
			wait: () => this.#wait(container, response, send),
			rename: () => this.#rename(container, other, send),
		};
		await changes[what]?.();
	}

	#describe(container: FakeContainer, what: string, response: ServerResponse, send: Send): void {
		if (what === "logs") response.writeHead(200).end(container.log);
		else send(200, inspectedAs(container));
	}

	#rename(container: FakeContainer, other: string, send: Send): void {
		const refusal = this.refused.rename;
		if (refusal) return send(refusal.status, { message: refusal.message });
		if (this.containers.has(other)) return send(409, { message: "Conflict" });
		this.containers.delete(container.name);
		this.containers.set(other, { ...container, name: other });
		send(204);
	}

	async #wait({ status, code }: FakeContainer, response: ServerResponse, send: Send): Promise<void> {
		if (status === "running") await once(response, "close");
		send(200, { StatusCode: code });
	}

	async #end(container: FakeContainer, response: ServerResponse, send: Send): Promise<void> {
		if (this.isObeyed) this.end(container.name, { code: 0 });
		else if (container.status === "running") await once(response, "close");
		send(204);
	}

	#remove({ name, status }: FakeContainer, send: Send): void {
		if (status === "running") return send(409, { message: "it runs" });
		this.containers.delete(name);
		send(204);
	}

	#follow(response: ServerResponse): void {
		response.writeHead(200).flushHeaders();
		this.#streams.add(response);
		response.on("close", () => this.#streams.delete(response));
	}

	#create(name: string, text: string, send: Send): void {
		const refusal = this.refused.create;
		if (refusal) return send(refusal.status, { message: refusal.message });
		if (this.containers.has(name)) return send(409, { message: "Conflict" });
		this.containers.set(name, createdFrom(name, text));
		send(201, { Id: name });
	}

	async #run(container: FakeContainer, send: Send): Promise<void> {
		const { start } = this.refused;
		if (start) {
			this.containers.set(container.name, { ...container, error: start.message, code: 128 });
			return send(start.status, { message: start.message });
		}
		if (container.status !== "created") return send(304);
		const running = { ...container, status: "running" as const, startedAt: new Date() };
		const isShort = /^atelier-(helper|probe)-/.test(container.name);
		// A short container has usually ended before anybody asks.
		const end = isShort && !this.isEndless ? this.shortEnd(container) : undefined;
		const code = isShort ? await this.work(container) : 0;
		this.containers.set(container.name, end ? exited(running, { ...end, code: code || end.code }) : running);
		send(204);
	}
}

async function textOf(request: IncomingMessage): Promise<string> {
	let text = "";
	for await (const chunk of request) text += String(chunk);
	return text;
}

function createdFrom(name: string, text: string): FakeContainer {
	const request = JSON.parse(text) as FakeContainer["request"];
	const mounts = (request.HostConfig.Mounts ?? []).map(({ Source, Target }) => [Target, Source]);
	return {
		name,
		request,
		mounts: Object.fromEntries(mounts) as Record<string, string>,
		status: "created",
		code: 0,
		error: "",
		isOutOfMemory: false,
		log: Buffer.alloc(0),
		createdAt: new Date(),
	};
}
