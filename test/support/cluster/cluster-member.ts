/** One process of a cluster under its name: it can be killed, stopped, frozen and started again with the same settings. */
import { eventually } from "../eventually.ts";
import { processFile } from "../machine/process-file.ts";
import type { PlatformProcess, TestPlatform } from "../platform/start-platform.ts";
import type { ClusterNetwork } from "./cluster-network.ts";

export interface MemberOptions {
	readonly name: string;
	readonly services: readonly string[];
	/** Its variables beside those of the whole cluster. */
	readonly env: Readonly<Record<string, string>>;
	/** The folder of its sources; undefined: those of the whole cluster. */
	readonly root: string | undefined;
	/** The address of a gateway, e.g. `http://127.0.0.1:34567`; other processes do not listen there. */
	readonly url: string;
	/** The address of its `/health`, `/ready` and `/metrics`. */
	readonly opsUrl: string;
	/** Its own way to bus and store, when the cluster has proxies. */
	readonly network: ClusterNetwork | undefined;
}

/** The time until a process serves requests, in milliseconds, on a machine without other work. */
const readyMs = 60_000;

export class ClusterMember {
	readonly #platform: TestPlatform;
	readonly #options: MemberOptions;
	#process: PlatformProcess | undefined;
	#formerOutput = "";

	constructor(platform: TestPlatform, options: MemberOptions) {
		this.#platform = platform;
		this.#options = options;
	}

	get name(): string {
		return this.#options.name;
	}

	get services(): readonly string[] {
		return this.#options.services;
	}

	get url(): string {
		return this.#options.url;
	}

	get opsUrl(): string {
		return this.#options.opsUrl;
	}

	/** @throws {Error} when the cluster was started without proxies. */
	get network(): ClusterNetwork {
		if (!this.#options.network) throw new Error("The cluster has no proxies");
		return this.#options.network;
	}

	/** The running process. @throws {Error} when it was never started. */
	get process(): PlatformProcess {
		if (!this.#process) throw new Error(`${this.name} was never started`);
		return this.#process;
	}

	/** The output of the process and of those that it has replaced. */
	get output(): string {
		return `${this.#formerOutput}${this.#process?.output ?? ""}`;
	}

	/** Starts the process, also again, without waiting for it. @param more Further variables, for this start only. */
	launch(more: Readonly<Record<string, string>> = {}): void {
		const former = this.#process;
		this.#formerOutput = this.output;
		const { env, root } = this.#options;
		this.#process = this.#platform.startProcess(this.services, { ...env, ...more }, root);
		this.#platform.processes = [...this.#platform.processes.filter((one) => one !== former), this.#process];
	}

	/** Starts the process; resolves when it is ready. */
	async start(more: Readonly<Record<string, string>> = {}): Promise<void> {
		this.launch(more);
		await this.ready();
	}

	/** Resolves when the process serves requests. @throws {Error} with its output when it has ended, or is not in time. */
	async ready(withinMs = readyMs): Promise<void> {
		const { process } = this;
		const isReady = async () => process.hasEnded || (await this.isReady());
		const what = `${this.name} is ready`;
		await eventually(isReady, { withinMs, everyMs: 50, what }).catch((cause: unknown) => {
			throw new Error(`${this.name} is not ready:\n${process.output}`, { cause });
		});
		if (process.hasEnded) throw new Error(`${this.name} has ended with ${process.exitCode}:\n${process.output}`);
	}

	async isReady(): Promise<boolean> {
		const url = `${this.opsUrl}/ready`;
		const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
		await answer?.body?.cancel();
		return answer?.status === 200;
	}

	/** Kills it with SIGKILL. */
	async kill(): Promise<void> {
		await this.process.kill();
	}

	/** Ends it in order with SIGTERM. @throws {Error} when it does not end with 0. */
	async stop(): Promise<void> {
		await this.process.stop();
	}

	/** Stops it with SIGSTOP; resolves when the system has done that. */
	async freeze(): Promise<void> {
		const { process } = this;
		process.signal("SIGSTOP");
		// proc(5): T is the state of a process that a signal has stopped.
		const isStopped = () => process.hasEnded || /^State:\s+T/m.test(processFile(process.pid, "status"));
		await eventually(isStopped, { what: `${this.name} is frozen` });
	}

	/** Continues it with SIGCONT. */
	thaw(): void {
		this.process.signal("SIGCONT");
	}
}
