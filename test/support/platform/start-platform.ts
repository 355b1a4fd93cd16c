/** The real platform as a process of its own, with a data folder of its own, for tests that look at it from outside. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openInstallationKey } from "#shared/secrets/keys.ts";
import { projectRoot } from "#shared/project-root.ts";
import { ApiClient } from "../clients/api-client.ts";
import { compiled } from "../compiled.ts";
import { eventually } from "../eventually.ts";
import { freePort } from "../machine/free-port.ts";
import { machineState, type MachineState } from "../machine/machine-state.ts";
import { removeGroups } from "../pods/remove-groups.ts";
import {
	killSessionProcesses,
	sessionAgents,
	sessionProcesses,
	type SessionProcess,
	waitingAgents,
} from "./session-processes.ts";
import { SseClient, type SseOptions } from "../clients/sse-client.ts";

export interface PlatformOptions {
	/** Service folders of each process; default: one process with all of them. */
	processes?: readonly (readonly string[])[];
	/** What answers 200 once it can be used; default `/ready`, which a platform without all its services never is. */
	readyAt?: string;
	/** Overlay of the configuration, as its file would say it. */
	config?: Record<string, unknown>;
	/** Environment of the platform beside PATH, HOME and its short forms. */
	env?: Record<string, string>;
	/** Folder of the sources it is run from; default this project. */
	root?: string;
	/** How many files each process may have open; default what the machine lets it. */
	openFiles?: number;
	/** Its data folder, which stays when the platform is disposed of; default one of its own. */
	dataDir?: string;
}

const stopWithinMs = 20_000;

/** Starts it and resolves when it can be used. */
export async function startPlatform(options: PlatformOptions = {}): Promise<TestPlatform> {
	const platform = new TestPlatform(await freePort(), options);
	try {
		await platform.start();
		return platform;
	} catch (error) {
		await platform[Symbol.asyncDispose]();
		throw error;
	}
}

/** One process of a platform. */
export class PlatformProcess {
	readonly services: readonly string[];
	#child: ChildProcess;
	/** All it has written. */
	output = "";

	constructor(services: readonly string[], env: Record<string, string>, { root, openFiles }: PlatformOptions) {
		this.services = services;
		const program = ["services/start.ts", ...services];
		const limited = ["-c", `ulimit -n ${openFiles}; exec "$@"`, "sh", process.execPath, ...program];
		const [command, args] = openFiles === undefined ? [process.execPath, program] : ["sh", limited];
		this.#child = spawn(command, args, {
			cwd: root ?? projectRoot,
			env,
			stdio: ["ignore", "pipe", "pipe"],
		});
		const keep = (chunk: Buffer) => {
			this.output += chunk.toString();
		};
		this.#child.stdout?.on("data", keep);
		this.#child.stderr?.on("data", keep);
	}

	/** @throws {Error} when it could not be started. */
	get pid(): number {
		const { pid } = this.#child;
		if (pid === undefined) throw new Error("The process was not started");
		return pid;
	}

	get hasEnded(): boolean {
		return this.#child.exitCode !== null || this.#child.signalCode !== null;
	}

	/** Exit code of an end in order. */
	get exitCode(): number | null {
		return this.#child.exitCode;
	}

	/** Resolves with the exit code when it has ended. @throws {Error} when it has not in time. */
	async ended(withinMs = stopWithinMs): Promise<number | null> {
		await eventually(() => this.hasEnded, { withinMs, what: `the process of ${this.services.join(", ")} has ended` });
		return this.exitCode;
	}

	/** SIGTERM and an end in order. @throws {Error} when it does not end in time, or not with 0. */
	async stop(): Promise<void> {
		this.#child.kill("SIGTERM");
		const code = await this.ended();
		if (code !== 0) throw new Error(`The platform ended with ${code}:\n${this.output}`);
	}

	/** Nothing happens when it has ended. */
	signal(name: NodeJS.Signals): void {
		this.#child.kill(name);
	}

	/** kill -9. */
	async kill(): Promise<void> {
		if (this.hasEnded) return;
		const exit = once(this.#child, "exit");
		this.#child.kill("SIGKILL");
		await exit;
	}
}

export class TestPlatform implements AsyncDisposable {
	/** e.g. `http://127.0.0.1:34567`. */
	readonly url: string;
	/** Base of the API's paths. */
	readonly prefix: string;
	readonly folder: string;
	readonly dataDir: string;
	/** HOME of the platform. */
	readonly home: string;
	readonly #port: number;
	readonly #options: PlatformOptions;
	processes: PlatformProcess[] = [];
	/** Whatever was started, in `processes` or not. */
	readonly #started: PlatformProcess[] = [];

	constructor(port: number, options: PlatformOptions) {
		this.#port = port;
		this.#options = options;
		this.url = `http://127.0.0.1:${port}`;
		this.prefix = `${this.url}/api/v1/svc`;
		this.folder = mkdtempSync(join(tmpdir(), "atelier-platform-"));
		this.dataDir = options.dataDir ?? join(this.folder, "data");
		this.home = join(this.folder, "home");
		mkdirSync(this.home);
		if (options.dataDir === undefined) {
			mkdirSync(this.dataDir, { mode: 0o700 });
			mkdirSync(compiled, { recursive: true });
			symlinkSync(compiled, join(this.dataDir, "cache"));
		}
		writeFileSync(join(this.folder, "config.yaml"), JSON.stringify(options.config ?? {}));
	}

	/** Starts every process, again after `kill` or `stop`, on the same data folder and port. */
	async start(): Promise<void> {
		this.processes = (this.#options.processes ?? [[]]).map((services) => this.startProcess(services));
		await this.ready();
	}

	/** One more process of this platform; it is not waited for. */
	startProcess(services: readonly string[], env: Record<string, string> = {}): PlatformProcess {
		const whole = {
			PATH: process.env["PATH"] ?? "",
			HOME: this.home,
			PORT: String(this.#port),
			DATA_DIR: this.dataDir,
			ATELIER_CONFIG: join(this.folder, "config.yaml"),
			...this.#options.env,
			...env,
		};
		const started = new PlatformProcess(services, whole, this.#options);
		this.#started.push(started);
		return started;
	}

	/** @throws {Error} with what the processes wrote, when one has ended or `/ready` does not come. */
	async ready(withinMs = 60_000): Promise<void> {
		const { readyAt = "/ready" } = this.#options;
		const isReady = async () =>
			this.processes.some(({ hasEnded }) => hasEnded) || (await fetch(this.url + readyAt)).status === 200;
		const output = () => this.processes.map((one) => one.output).join("\n");
		await eventually(isReady, { withinMs, what: "the platform is ready" }).catch((cause: unknown) => {
			throw new Error(`The platform is not ready:\n${output()}`, { cause });
		});
		if (this.processes.some(({ hasEnded }) => hasEnded)) throw new Error(`The platform has ended:\n${output()}`);
	}

	/** What all processes have written. */
	get output(): string {
		return this.processes.map((one) => one.output).join("\n");
	}

	client(headers: Record<string, string> = {}): ApiClient {
		return new ApiClient(this.prefix, headers);
	}

	/** The event stream. */
	events(options?: SseOptions): Promise<SseClient> {
		return SseClient.open(`${this.prefix}/sessions/stream`, options);
	}

	/** Agents of this platform that run now, whoever started them. */
	agents(): ReturnType<typeof sessionAgents> {
		return sessionAgents(this.#installation());
	}

	/** Every process of every session of this platform. */
	sessionProcesses(): SessionProcess[] {
		return sessionProcesses(this.#installation());
	}

	/** Process ids of the session agents that wait for a session and are loaded. */
	waitingAgents(): number[] {
		return waitingAgents(this.#installation());
	}

	/** What its sessions hold of the machine. */
	machineState(): MachineState {
		return machineState(this.#installation(), this.dataDir);
	}

	/** Working copy of a session. */
	workspace(sessionId: string): string {
		return join(this.dataDir, "sessions", sessionId, "workspace");
	}

	/** SIGTERM to all processes. */
	async stop(): Promise<void> {
		await Promise.all(this.processes.map((one) => one.stop()));
	}

	/** kill -9 of all processes. */
	async kill(): Promise<void> {
		await Promise.all(this.processes.map((one) => one.kill()));
	}

	/** Leaves nothing behind: no process of the platform or of its sessions, no folder. */
	async [Symbol.asyncDispose](): Promise<void> {
		await Promise.all(this.#started.map((one) => one.kill()));
		if (existsSync(this.dataDir)) {
			const installation = this.#installation();
			await eventually(() => {
				killSessionProcesses(installation);
				return sessionProcesses(installation).length === 0;
			});
			await removeGroups(installation);
		}
		rmSync(this.folder, { recursive: true, force: true });
	}

	#installation(): string {
		return openInstallationKey(this.dataDir, this.#options.env?.["ATELIER_INSTALLATION_KEY"] ?? "").installationId();
	}
}
