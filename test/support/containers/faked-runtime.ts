/** The runtime for containers at a fake engine, whose containers a test plays. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ContainersRuntime } from "#services/pod-manager/pod-runtimes/containers.ts";
import type { ContainersArguments } from "#services/pod-manager/pod-runtimes/containers/containers-options.ts";
import { type Launch, launchName } from "#services/pod-manager/pod-runtimes/launches/launch.ts";
import { eventually } from "../eventually.ts";
import { idleRuntimeHost } from "../pods/idle-runtime-host.ts";
import { FakeEngine } from "./fake-engine.ts";

export class FakedRuntime implements AsyncDisposable {
	static readonly installation = "0123456789abcdef";
	readonly engine = new FakeEngine();
	readonly dataDir = join(this.engine.root, "data");
	readonly #opened: ContainersRuntime[] = [];
	readonly #closing = new AbortController();
	/** The sessions that the watches have told of. */
	readonly changed: string[] = [];

	/** The containers that wait; default none. */
	warm = 0;

	/** Starts the engine and returns an opened runtime that watches. */
	async open(): Promise<ContainersRuntime> {
		mkdirSync(this.dataDir, { recursive: true });
		await this.engine.start();
		const runtime = this.runtime();
		await runtime.open();
		runtime.watch((id) => this.changed.push(id), this.#closing.signal);
		return runtime;
	}

	/** Returns a runtime as another process of the platform has it. */
	runtime(kwargs: ContainersArguments = {}): ContainersRuntime {
		const runtime = new ContainersRuntime({
			...idleRuntimeHost(this.dataDir, { installation: FakedRuntime.installation, markKey: "unused", host: "here" }),
			socket: this.engine.socket,
			warm: this.warm,
			...kwargs,
		});
		this.#opened.push(runtime);
		return runtime;
	}

	/** Lets a container have been asked earlier to end. */
	endingBefore(launch: Launch, ms: number): void {
		writeFileSync(join(this.dataDir, "run", launchName(launch), "ending"), String(Date.now() - ms));
	}

	/** Resolves when the runtime follows the engine, and has asked it what becomes of containers. */
	async followed(): Promise<void> {
		const { calls } = this.engine;
		const isAsked = () => calls.lastIndexOf("GET /info") > calls.lastIndexOf("GET /events") && this.engine.isFollowed;
		await eventually(isAsked, { what: "the runtime follows the engine" });
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#closing.abort();
		for (const runtime of this.#opened) await runtime.close();
		await this.engine[Symbol.asyncDispose]();
	}
}
