/** Runs a real session agent as a process with its own folders, for tests from outside. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocket } from "ws";
import type { ConversationPage, ConversationTurn, SessionLogs } from "#shared/contracts/sessions/sessions.ts";
import { type LaunchDocument, marker } from "#shared/wire/pod/launch.ts";
import { withoutFence } from "#shared/wire/pod/fenced-output.ts";
import { chatPath, type PodFrame } from "#shared/wire/pod/frames.ts";
import type { PodStatus } from "#shared/wire/pod/status.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { compiled } from "../compiled.ts";
import { eventually } from "../eventually.ts";
import { killSessionProcesses, sessionProcesses } from "../platform/session-processes.ts";

/** A session's folders and its successive pods; disposing of it removes all processes and folders. */
export class TestSession implements AsyncDisposable {
	readonly folder = mkdtempSync(join(tmpdir(), "atelier-pod-"));
	readonly id = randomUUID();
	readonly installation = randomBytes(8).toString("hex");
	readonly workspace = join(this.folder, "workspace");
	readonly #root: string;
	#generation = 0;

	/** @param root The folder of the pods' sources. */
	constructor(root = projectRoot) {
		this.#root = root;
	}

	/** Makes a launch document with an empty workspace and no platform; `changes` have precedence. */
	launch(changes: Partial<LaunchDocument> = {}): LaunchDocument {
		const generation = ++this.#generation;
		const run = join(this.folder, `run-g${generation}`);
		mkdirSync(join(run, "home"), { recursive: true });
		return {
			session_id: this.id,
			generation,
			installation: this.installation,
			proof: "proof-of-the-test",
			platform_url: "http://127.0.0.1:9/api/v1/svc",
			pod_token: `svcs_${randomBytes(24).toString("hex")}`,
			platform_key: randomBytes(24).toString("hex"),
			status_file: join(run, "status.json"),
			workspace: this.workspace,
			state: join(this.folder, "state"),
			home: join(run, "home"),
			git_home: "",
			name: "test",
			model: "",
			repositories: [],
			setup_scripts: [],
			working_folder: "",
			system_prompt: "",
			initial_prompt: "",
			env: {},
			agent: "builtin",
			mcp_servers: [],
			permission_mode: "auto",
			git_protocols: ["https", "ssh", "http", "file"],
			...changes,
		};
	}

	/** Starts a pod; resolves when it is ready. */
	async start(changes: Partial<LaunchDocument> = {}): Promise<TestPod> {
		const pod = new TestPod(this.launch(changes), undefined, {}, { root: this.#root });
		await pod.phase("ready");
		return pod;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		// A process that was being started is found by the next look; it could create the folder again.
		await eventually(() => {
			killSessionProcesses(this.installation);
			return sessionProcesses(this.installation).length === 0;
		});
		await eventually(() => (rmSync(this.folder, { recursive: true, force: true }), true));
	}
}

export class TestPod {
	readonly launch: LaunchDocument;
	/** All of its output. */
	output = "";
	#child: ChildProcess;

	/**
	 * @param input The text instead of the launch document. @param env Variables of the process beside PATH and the
	 * marker. @param how The folder of its sources, and further arguments.
	 */
	constructor(
		launch: LaunchDocument,
		input = JSON.stringify(launch),
		env: Record<string, string> = {},
		{ root = projectRoot, args = [] }: { readonly root?: string; readonly args?: readonly string[] } = {},
	) {
		this.launch = launch;
		this.#child = spawn(process.execPath, [join(root, "agent/main.ts"), ...args], {
			cwd: launch.home,
			detached: true,
			env: {
				PATH: process.env["PATH"] ?? "",
				HOME: launch.home,
				LANG: "C.UTF-8",
				NODE_COMPILE_CACHE: compiled,
				[marker.installation]: launch.installation,
				[marker.session]: launch.session_id,
				[marker.generation]: String(launch.generation),
				[marker.proof]: launch.proof,
				...env,
			},
			stdio: "pipe",
		});
		this.#talk(input);
	}

	#talk(input: string): void {
		for (const stream of [this.#child.stdout, this.#child.stderr]) {
			stream?.on("data", (chunk: Buffer) => {
				this.output += chunk.toString();
			});
		}
		this.#child.stdin?.on("error", () => {});
		this.#child.stdin?.end(input);
	}

	get pid(): number {
		return this.#child.pid ?? Number.NaN;
	}

	get hasEnded(): boolean {
		return this.#child.exitCode !== null || this.#child.signalCode !== null;
	}

	get status(): PodStatus | undefined {
		const { status_file: file } = this.launch;
		return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
	}

	/** Resolves when the status has this phase. @throws {Error} when the pod fails or ends instead. */
	async phase(phase: PodStatus["phase"], withinMs = 20_000): Promise<PodStatus> {
		return eventually(
			() => {
				const { status } = this;
				return status?.phase === phase && status;
			},
			{ withinMs, what: `pod is ${phase}` },
		).catch((error: unknown) => {
			throw new Error(`${String(error)}; status ${JSON.stringify(this.status)}; output ${this.output}`, {
				cause: error,
			});
		});
	}

	/** Resolves with the exit code when the pod has ended by itself. */
	async ended(): Promise<number | null> {
		if (!this.hasEnded) await once(this.#child, "exit");
		return this.#child.exitCode;
	}

	/** Ends the pod with SIGTERM; resolves with the exit code. */
	async stop(): Promise<number | null> {
		this.#child.kill("SIGTERM");
		return this.ended();
	}

	/** Kills the session agent alone with SIGKILL. */
	async kill(): Promise<void> {
		this.#child.kill("SIGKILL");
		await this.ended();
	}

	get url(): string {
		return `http://127.0.0.1:${this.status?.port}`;
	}

	get authorization(): string {
		return `Bearer ${this.launch.platform_key}`;
	}

	async fetch(path: string, init: RequestInit = {}): Promise<Response> {
		return fetch(`${this.url}${path}`, { ...init, headers: { authorization: this.authorization } });
	}

	/** Sends a command; resolves with the status and the JSON of the answer. */
	async command(path: string, body: object = {}): Promise<{ status: number; body: unknown }> {
		const response = await this.fetch(path, { method: "POST", body: JSON.stringify(body) });
		return { status: response.status, body: await response.json() };
	}

	/** Resolves with the answer's JSON. @throws {Error} unless it is a success. */
	async get<T>(path: string): Promise<T> {
		const response = await this.fetch(path);
		if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
		return (await response.json()) as T;
	}

	history(query = ""): Promise<ConversationPage> {
		return this.get(`/api/conversation/history${query}`);
	}

	async logs(): Promise<string[]> {
		const { lines } = await this.get<SessionLogs>("/api/logs?lines=2000");
		return lines.map(({ message }) => message);
	}

	/**
	 * Opens a connection like the platform does. @param path The path with the form of the frames; default this
	 * platform's own form.
	 */
	async connect(path = chatPath): Promise<TestConnection> {
		const socket = new WebSocket(`${this.url.replace("http", "ws")}${path}`, {
			headers: { authorization: this.authorization },
		});
		const connection = new TestConnection(socket);
		await once(socket, "open");
		return connection;
	}

	/** Sends a message; resolves with the agent's turn. */
	async ask(content: string, id: string = randomUUID()): Promise<ConversationTurn> {
		const connection = await this.connect();
		try {
			await connection.send(id, content);
			return await this.answer(id);
		} finally {
			connection.close();
		}
	}

	/** Resolves with the agent's turn that answers a message, without the fence of a command's output. */
	async answer(id: string, withinMs = 15_000): Promise<ConversationTurn> {
		const answer = await eventually(
			async () => {
				const { turns } = await this.history();
				return turns.find(({ metadata }) => metadata["in_reply_to"] === id);
			},
			{ withinMs, what: `answer to ${id}` },
		);
		return { ...answer, content: withoutFence(answer.content) };
	}
}

type FrameOf<T extends PodFrame["type"]> = Extract<PodFrame, { type: T }>;

export class TestConnection {
	readonly frames: PodFrame[] = [];
	readonly socket: WebSocket;

	constructor(socket: WebSocket) {
		this.socket = socket;
		socket.on("message", (data: Buffer) => this.frames.push(JSON.parse(data.toString())));
		socket.on("error", () => {});
	}

	/**
	 * Sends a message; resolves with the frame that confirms or refuses it. @param withinMs The default is that of
	 * `eventually`.
	 */
	async send(id: string, content: string, withinMs?: number): Promise<PodFrame> {
		const seen = this.frames.length;
		this.socket.send(JSON.stringify({ type: "user", id, content }));
		const answered = (): PodFrame | undefined =>
			this.frames.slice(seen).find((frame) => "id" in frame && frame.id === id);
		return eventually(answered, { ...(withinMs !== undefined && { withinMs }) });
	}

	/** Sends a frame unchanged. */
	say(frame: object): void {
		this.socket.send(JSON.stringify(frame));
	}

	/** Resolves with the first frame of a type after the first `after` frames. */
	frame<T extends PodFrame["type"]>(type: T, after = 0): Promise<FrameOf<T>> {
		const isWanted = (frame: PodFrame): frame is FrameOf<T> => frame.type === type;
		return eventually(() => this.frames.slice(after).find(isWanted), { what: `a frame "${type}"` });
	}

	/** Returns all received frames of one type. */
	all<T extends PodFrame["type"]>(type: T): FrameOf<T>[] {
		return this.frames.filter((frame): frame is FrameOf<T> => frame.type === type);
	}

	close(): void {
		this.socket.close();
	}
}
