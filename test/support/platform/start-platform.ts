/** Starts the real platform as a separate process with its own data folder, for tests from outside. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { machineRuntimes } from "#services/pod-manager/chosen-runtime.ts";
import { ApiClient } from "../clients/api-client.ts";
import { compiled } from "../compiled.ts";
import { eventually } from "../eventually.ts";
import { type BusLogin, busLogin } from "../identity/bus-login.ts";
import { freePort } from "../machine/free-port.ts";
import { machineState, type MachineState } from "../machine/machine-state.ts";
import { removeGroups } from "../pods/remove-groups.ts";
import {
	killSessionProcesses,
	markedProcesses,
	sessionAgents,
	sessionProcesses,
	type SessionProcess,
	waitingAgents,
} from "./session-processes.ts";
import { SseClient, type SseOptions } from "../clients/sse-client.ts";

export interface PlatformOptions {
	/** The service folders of each process; default: one process with all of them. */
	processes?: readonly (readonly string[])[];
	/**
	 * The path that answers 200 when the platform is usable; default `/ready`, which fails while services are missing.
	 */
	readyAt?: string;
	/** Configuration in the form of a file. */
	config?: Record<string, unknown>;
	/** Variables of the platform beside PATH, HOME and its short forms. */
	env?: Record<string, string>;
	/** The folder of its sources; default: this project. */
	root?: string;
	/** The program of each process in the sources; default `host/main.js`. */
	entry?: string;
	/** The most open files of each process; default: the machine's limit. */
	openFiles?: number;
	/** Its data folder, which remains when the platform is disposed of; default: a temporary one. */
	dataDir?: string;
}

const stopWithinMs = 20_000;

type Starter = (options: PlatformOptions) => Promise<TestPlatform>;

/** Starts a whole platform; resolves when it is usable. */
let startWhole: Starter = startInProcesses;
/** Variables of every platform that a test starts in processes of its own choice. */
let envOfProcesses: Record<string, string> = {};

/** Makes another kind of platform of those that a test starts without saying in which processes. @param env Variables of the others. */
export function startPlatformsBy(starter: Starter, env: Record<string, string> = {}): void {
	startWhole = starter;
	envOfProcesses = env;
}

/** Starts the platform; resolves when it is usable. */
export function startPlatform(options: PlatformOptions = {}): Promise<TestPlatform> {
	if (options.processes === undefined) return startWhole(options);
	return startInProcesses({ ...options, env: { ...envOfProcesses, ...options.env } });
}

async function startInProcesses(options: PlatformOptions): Promise<TestPlatform> {
	const platform = new TestPlatform(await freePort(), options);
	try {
		await platform.start();
		return platform;
	} catch (error) {
		await platform[Symbol.asyncDispose]();
		throw error;
	}
}

/**
 * Names processes as the runtime, where a test names none: whether this machine has an engine is no matter of most tests. No agent is
 * started ahead of the sessions of a platform that lives for seconds.
 */
function withRuntime(config: Record<string, unknown>): Record<string, unknown> {
	const { pods = {} } = config as { pods?: { runtime?: { adapter?: string; kwargs?: object } } };
	const { adapter = machineRuntimes.processes, kwargs = {}, ...others } = pods.runtime ?? {};
	const args = adapter === machineRuntimes.processes ? { waiting: 0, ...kwargs } : kwargs;
	return { ...config, pods: { ...pods, runtime: { ...others, adapter, kwargs: args } } };
}

/** One process of a platform. */
export class PlatformProcess {
	readonly services: readonly string[];
	#child: ChildProcess;
	/** All of its output. */
	output = "";

	constructor(
		services: readonly string[],
		env: Record<string, string>,
		{ root, openFiles, entry = "host/main.js" }: PlatformOptions,
	) {
		this.services = services;
		const program = [entry, ...services];
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

	/** The process id. @throws {Error} when it could not be started. */
	get pid(): number {
		const { pid } = this.#child;
		if (pid === undefined) throw new Error("The process was not started");
		return pid;
	}

	get hasEnded(): boolean {
		return this.#child.exitCode !== null || this.#child.signalCode !== null;
	}

	/** The exit code after an orderly end. */
	get exitCode(): number | null {
		return this.#child.exitCode;
	}

	/** Resolves with the exit code when the process has ended. @throws {Error} when it has not in time. */
	async ended(withinMs = stopWithinMs): Promise<number | null> {
		await eventually(() => this.hasEnded, { withinMs, what: `the process of ${this.services.join(", ")} has ended` });
		return this.exitCode;
	}

	/** Ends the process in order with SIGTERM. @throws {Error} when it does not end in time, or not with 0. */
	async stop(): Promise<void> {
		this.#child.kill("SIGTERM");
		const code = await this.ended();
		if (code !== 0) throw new Error(`The platform ended with ${code}:\n${this.output}`);
	}

	/** Sends a signal; does nothing when the process has ended. */
	signal(name: NodeJS.Signals): void {
		this.#child.kill(name);
	}

	/** Kills the process with SIGKILL. */
	async kill(): Promise<void> {
		if (this.hasEnded) return;
		const exit = once(this.#child, "exit");
		this.#child.kill("SIGKILL");
		await exit;
	}
}

export class TestPlatform implements AsyncDisposable {
	/** The URL, e.g. `http://127.0.0.1:34567`. */
	readonly url: string;
	/** The base of the API's paths. */
	readonly prefix: string;
	readonly folder: string;
	readonly dataDir: string;
	/** The HOME of the platform. */
	readonly home: string;
	/** The login that its clients use: a token when it has a bus, none otherwise. */
	readonly login: BusLogin;
	readonly #port: number;
	readonly #options: PlatformOptions;
	processes: PlatformProcess[] = [];
	/** All started processes, including those beside `processes`. */
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
		this.login = busLogin(options, this.dataDir);
		this.reconfigure(options.config ?? {});
	}

	/** Writes the configuration in the form of a file, for the next start of a process. */
	reconfigure(config: Record<string, unknown>): void {
		writeFileSync(join(this.folder, "config.yaml"), JSON.stringify(withRuntime(config)));
	}

	/** Starts every process, also again after `kill` or `stop`, on the same data folder and port. */
	async start(): Promise<void> {
		this.processes = (this.#options.processes ?? [[]]).map((services) => this.startProcess(services));
		await this.ready();
	}

	/**
	 * Starts one more process of this platform without waiting for it. @param root The folder of its sources; default:
	 * the platform's.
	 */
	startProcess(services: readonly string[], env: Record<string, string> = {}, root?: string): PlatformProcess {
		const whole = {
			PATH: process.env["PATH"] ?? "",
			HOME: this.home,
			PORT: String(this.#port),
			DATA_DIR: this.dataDir,
			ATELIER_CONFIG: join(this.folder, "config.yaml"),
			...this.login.env,
			...this.#options.env,
			...env,
		};
		const started = new PlatformProcess(
			services,
			whole,
			root === undefined ? this.#options : { ...this.#options, root },
		);
		this.#started.push(started);
		return started;
	}

	/**
	 * Resolves when the platform is usable. @throws {Error} with the output of the processes when one has ended or the
	 * platform is not ready in time.
	 */
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

	/** The output of all processes. */
	get output(): string {
		return this.processes.map((one) => one.output).join("\n");
	}

	/** @param headers Headers beside those of the login, or instead of them. */
	client(headers: Record<string, string> = {}): ApiClient {
		return new ApiClient(this.prefix, { ...this.login.headers, ...headers });
	}

	/** Opens the event stream. */
	events(options: SseOptions = {}): Promise<SseClient> {
		const headers = { ...this.login.headers, ...options.headers };
		return SseClient.open(`${this.prefix}/sessions/stream`, { ...options, headers });
	}

	/** Returns the running session agents of this platform, whichever process started them. */
	agents(): ReturnType<typeof sessionAgents> {
		return sessionAgents(this.#installation());
	}

	/** Returns every process of every session of this platform. */
	sessionProcesses(): SessionProcess[] {
		return sessionProcesses(this.#installation());
	}

	/** Returns the process ids of loaded session agents that wait for a session. */
	waitingAgents(): number[] {
		return waitingAgents(this.#installation());
	}

	/** Returns the processes, ports and files of its sessions. */
	machineState(): MachineState {
		return machineState(this.#installation(), this.dataDir);
	}

	/** Returns the working copy of a session. */
	workspace(sessionId: string): string {
		return join(this.dataDir, "sessions", sessionId, "workspace");
	}

	/** Ends all processes with SIGTERM. */
	async stop(): Promise<void> {
		await Promise.all(this.processes.map((one) => one.stop()));
	}

	/** Kills all processes with SIGKILL. */
	async kill(): Promise<void> {
		await Promise.all(this.processes.map((one) => one.kill()));
	}

	/** Ends everything and removes all processes of the platform and its sessions, and its folders. */
	async [Symbol.asyncDispose](): Promise<void> {
		await Promise.all(this.#started.map((one) => one.kill()));
		if (existsSync(this.dataDir)) {
			const installation = this.#installation();
			// A process that was started just now shows neither environment nor title for a moment, so one look is not enough.
			let quietLooks = 0;
			await eventually(() => {
				killSessionProcesses(installation);
				quietLooks = markedProcesses(installation).length === 0 ? quietLooks + 1 : 0;
				return quietLooks > 2;
			});
			await removeGroups(installation);
		}
		rmSync(this.folder, { recursive: true, force: true });
	}

	#installation(): string {
		return openInstallationKey(this.dataDir, this.#options.env?.["ATELIER_INSTALLATION_KEY"] ?? "").installationId();
	}
}
