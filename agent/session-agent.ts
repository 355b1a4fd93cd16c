/** The life of a session pod: workspace, setup, coding agent, messages, and an orderly end. */
// oxlint-disable-next-line no-restricted-imports -- a mounted file, which nobody can replace by a link
import { writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { monotonic } from "#shared/base/clock.ts";
import type { PodPhase } from "#shared/wire/pod/status.ts";
import { terminationMessage } from "#shared/wire/pod/termination-message.ts";
import { cannotStart } from "./coding-agents/agent-starter.ts";
import { looseLimits } from "./coding-agents/loose-limits.ts";
import { Permissions } from "./coding-agents/permissions.ts";
import type { PreloadedAgent } from "./coding-agents/preloaded-agent.ts";
import { markerOf, temporaryFolder } from "./io/environment.ts";
import { LaunchFailure } from "./io/launch-failure.ts";
import type { PodContext } from "./io/pod-context.ts";
import { sweepProcesses } from "./io/process-sweep.ts";
import { modelWarning } from "#shared/model-proxy/provider/model-warning.ts";
import { openStages, type ServingStage } from "./pod-stages.ts";
import type { MessageSockets } from "./server/message-sockets.ts";
import { type PhaseDetails, StatusKeeper } from "./status-keeper.ts";
import { type StatusReports, statusReports } from "./status-reports.ts";
import type { PodWorkspace } from "./workspace/pod-workspace.ts";

/** The source of its lines in the log. */
const own = "session-agent";

const milestones = {
	starting: "The session agent starts",
	cloning: "The workspace is being made",
	setting_up: "The workspace is there, setup begins",
	starting_agent: "Setup is done",
	ready: "The coding agent is ready",
} as const satisfies Record<Exclude<PodPhase, "failed">, string>;

/** Runs one pod from its launch document to its end. */
export class SessionAgent {
	readonly #context: PodContext;
	readonly #workspace: PodWorkspace;
	readonly #preloaded: PreloadedAgent | undefined;
	readonly #status: StatusKeeper;
	readonly #reports: StatusReports;
	/** Closes everything in the reverse order of its opening. The processes of the pod are killed last, in any case. */
	readonly #closing = new AsyncDisposableStack();
	/** The time on the monotonic clock. */
	#endedAt = Infinity;

	/** @param workspace Its preparation may have begun. @param preloaded The coding agent that was started before the session. */
	constructor(context: PodContext, workspace: PodWorkspace, preloaded?: PreloadedAgent) {
		this.#context = context;
		this.#workspace = workspace;
		this.#preloaded = preloaded;
		this.#reports = statusReports(context.launch);
		this.#status = new StatusKeeper((content, isAwaited) => this.#reports.write(content, isAwaited));
		// The last status is what tells why a pod has ended, so it is delivered after everything else.
		this.#closing.defer(() => this.#reports.close());
		this.#closing.defer(() => sweepProcesses(markerOf(context.launch)));
	}

	/** Resolves when everything that it started has ended, with false when the pod has failed. */
	async run(): Promise<boolean> {
		const { ending, signal } = this.#context;
		const asked = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
		await Promise.race([asked, this.#live()]).catch((error: unknown) => this.fail(error));
		ending.abort();
		this.#endedAt = monotonic();
		await this.#closing.disposeAsync();
		return this.#status.status.phase !== "failed";
	}

	/** Ends the pod in order; it may be called at any time. */
	end(): void {
		this.#context.ending.abort();
	}

	/** Writes the reason why the pod cannot go on into the status, and ends the pod. */
	fail(error: unknown): void {
		const { log, signal } = this.#context;
		if (signal.aborted) return;
		const { code, message } = asFailure(error);
		const clean = log.withoutSecrets(message);
		log.add("ERROR", own, clean);
		this.#writeFailure(new LaunchFailure(code, clean));
		this.end();
	}

	/** A full disk must not keep the pod alive. */
	#writeFailure(failure: LaunchFailure): void {
		const { termination_file: file } = this.#context.launch;
		try {
			this.#status.fail(failure);
			// It is a mounted file, which cannot be replaced by another one.
			if (file !== undefined) writeFileSync(file, terminationMessage(failure));
		} catch (error) {
			this.#context.log.add("ERROR", own, `The status cannot be written: ${String(error)}`);
		}
	}

	/** Runs until it throws. @throws {LaunchFailure} */
	async #live(): Promise<never> {
		const { state, home, listen_host: host } = this.#context.launch;
		const folders = [state, home, temporaryFolder(this.#context.launch)];
		await Promise.all(folders.map((folder) => mkdir(folder, { recursive: true, mode: 0o700 })));
		this.#enter("starting");
		await this.#workspace.secrets.place();
		const pod = await this.#open();
		// The agent starts while the workspace is made; its failure is handled later.
		const starting = pod.keeper.start();
		starting.catch(() => {});
		const unusable = modelWarning(this.#context.launch);
		this.#warn(looseLimits(this.#context.launch));
		const { port } = pod.server;
		this.#enter("cloning", { ...(port !== undefined && { port }), ...(host !== undefined && { host }) });
		const openMessages = this.#takeMessages(pod);
		const folder = await this.#workspace.prepare(
			(phase, found) => this.#enter(phase, found),
			(sentence) => this.#status.tell(sentence),
			(sentence) => this.#warn(sentence),
		);
		pod.timeline.begin();
		const agent = await starting;
		await agent.open(folder).catch(cannotStart);
		this.#warn(await unusable);
		this.#enter("ready", { agent_title: agent.title });
		void this.#tendVolume();
		await openMessages();
		return pod.keeper.keep(agent, folder, (next) => pod.dialogue.begin(next));
	}

	/** Does what the volume of this session needs, while the session goes on. */
	async #tendVolume(): Promise<void> {
		const { launch, signal } = this.#context;
		const { deleted_sessions: deleted = [] } = launch;
		if (deleted.length > 0) {
			const { removeSessions } = await import("./earlier-sessions.ts");
			await removeSessions(dirname(launch.state), deleted, signal).catch((error: unknown) =>
				this.#warn(`The records of a deleted session cannot be removed: ${String(error)}`),
			);
		}
		if (launch.volume === undefined) return;
		const { tellVolumeSize } = await import("./volume-size.ts");
		await tellVolumeSize({ folder: launch.volume, signal, tell: (size) => this.#status.measured(size) });
	}

	#warn(sentence: string | undefined): void {
		if (sentence === undefined) return;
		const { log } = this.#context;
		log.add("WARNING", own, sentence);
		this.#status.warn(log.withoutSecrets(sentence));
	}

	#open(): Promise<ServingStage> {
		const { launch, log } = this.#context;
		return openStages({
			context: this.#context,
			workspace: this.#workspace,
			status: this.#status,
			permissions: new Permissions(
				launch.permission_mode,
				(said) => log.add("INFO", launch.agent, said),
				launch.choice_ms,
			),
			preloaded: this.#preloaded,
			closing: this.#closing,
			events: { onStale: () => this.end(), onLost: () => this.fail(new LaunchFailure("PLATFORM_LOST")) },
			endedAt: () => this.#endedAt,
		});
	}

	/** Returns a function that prepares for the first message; to do so earlier would only delay the start. */
	#takeMessages({ server, chat }: ServingStage): () => Promise<MessageSockets> {
		let opening: Promise<MessageSockets> | undefined;
		const open = async (): Promise<MessageSockets> => {
			const { MessageSockets } = await import("./server/message-sockets.ts");
			const messages = new MessageSockets(chat);
			this.#closing.defer(() => messages.close());
			return messages;
		};
		const openOnce = (): Promise<MessageSockets> => (opening ??= open());
		server.onUpgrade("/session", async (request, socket, head) => (await openOnce()).upgrade(request, socket, head));
		return openOnce;
	}

	#enter(phase: Exclude<PodPhase, "failed">, details: PhaseDetails = {}): void {
		const { log, signal } = this.#context;
		signal.throwIfAborted();
		this.#status.enter(phase, details);
		log.add("INFO", own, milestones[phase]);
	}
}

function asFailure(error: unknown): LaunchFailure {
	if (error instanceof LaunchFailure) return error;
	if (isMissingGit(error)) return new LaunchFailure("WORKSPACE_FAILED", missingGit, { cause: error });
	const said = error instanceof Error ? error.message : String(error);
	return new LaunchFailure("AGENT_CRASHED", `The session agent failed: ${said}`, { cause: error });
}

const missingGit = "git is not installed where the session runs: install it, and start the session";

function isMissingGit(error: unknown): boolean {
	return error instanceof Error && "code" in error && error.code === "ENOENT" && error.message.startsWith("spawn git ");
}
