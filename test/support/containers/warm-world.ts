/** The runtime for containers at a fake engine, with warm containers whose agents a test plays. */
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import type { ContainersRuntime } from "#services/pod-manager/pod-runtimes/containers.ts";
import { eventually } from "../eventually.ts";
import { FakedRuntime } from "./faked-runtime.ts";

/** An agent that has connected. */
interface PlayedAgent {
	readonly channel: Socket;
	/** Resolves when the platform lets it go on. */
	readonly letGo: Promise<unknown>;
}

export class WarmWorld extends FakedRuntime {
	readonly agents = new Map<string, PlayedAgent>();
	/** Whether agents of containers that are started wait for a session. */
	arePlayed = true;

	constructor(warm = 1) {
		super();
		this.warm = warm;
		this.engine.heard = (call) => this.hear(call);
	}

	/** Lets the agent of a container connect once it is started. */
	hear(call: string): void {
		const [, name] = /^POST \/containers\/(atelier-warm-\w+)\/start$/.exec(call) ?? [];
		if (name !== undefined && this.arePlayed) void this.play(name).catch(() => {});
	}

	async play(name: string): Promise<void> {
		const channel = connect({ path: join(this.folder("run", name), "in", "waiting.sock") });
		channel.on("error", () => {});
		channel.resume().write("\n");
		this.agents.set(name, { channel, letGo: once(channel, "close") });
		await once(channel, "connect");
	}

	/** Returns a folder of a warm container. @param name That of the container. */
	folder(kind: "run" | "sessions", name: string): string {
		return join(this.dataDir, kind, ".warm", name.replace("atelier-warm-", ""));
	}

	/** Returns the names of the containers that wait. */
	get waiting(): string[] {
		return [...this.engine.containers.keys()].filter((name) => name.startsWith("atelier-warm-"));
	}

	/** Returns the folders of warm containers that have no session. */
	get folders(): string[] {
		const all = ["run", "sessions"].map((kind) => join(this.dataDir, kind, ".warm"));
		return all.flatMap((path) => (existsSync(path) ? readdirSync(path) : []));
	}

	/** Resolves to the name of a container that waits and can be taken. @param count How many of them there are then. */
	async warmed(count = 1): Promise<string> {
		const isThere = () => this.waiting.length === count && this.waiting.every((name) => this.agents.has(name));
		await eventually(isThere, { withinMs: 20_000, what: `${count} container(s) wait` });
		return this.waiting[0] ?? "";
	}

	/** Lets the engine have given a container to a session. @param session The name that it has got. */
	give(name: string, session: string): void {
		const container = this.engine.containers.get(name);
		if (!container) throw new Error(`There is no container "${name}"`);
		this.engine.containers.delete(name);
		this.engine.containers.set(session, { ...container, name: session });
	}

	/** Does something once, just before the engine carries out a call that ends so. */
	meanwhile(end: string, work: () => void): void {
		this.engine.heard = (call) => {
			this.hear(call);
			if (!call.endsWith(end)) return;
			this.engine.heard = (later) => this.hear(later);
			work();
		};
	}

	/** Ends a runtime as kill -9 does: it does nothing more, and its agents lose their platform. */
	async kill(runtime: ContainersRuntime): Promise<void> {
		const { engine } = this;
		// Nothing that it still wants to do reaches the engine.
		engine.silent = () => true;
		await runtime.close();
		engine.silent = () => false;
	}
}
