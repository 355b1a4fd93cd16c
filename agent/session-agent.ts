/** The life of a session pod: workspace, setup, coding agent, messages, and an orderly end. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { monotonic } from "#shared/clock.ts";
import type { ChronicleReport } from "#shared/contracts/chronicles.ts";
import type { DiffPatch } from "#shared/contracts/session-diff.ts";
import type { TokenCounts } from "#shared/models/token-counts.ts";
import type { LaunchDocument } from "#shared/pod/launch.ts";
import type { PodPhase, PodStatus } from "#shared/pod/status.ts";
import { ActivityWatch } from "./reporting/activity-watch.ts";
import { AgentKeeper } from "./coding-agents/agent-keeper.ts";
import { AgentServer } from "./server/agent-server.ts";
import { cannotStart } from "./coding-agents/agent-starter.ts";
import { Chat } from "./server/chat.ts";
import { Conversation } from "./conversation/conversation.ts";
import { Dialogue } from "./conversation/dialogue.ts";
import { markerOf } from "./io/environment.ts";
import { closingChronicle } from "./reporting/closing-chronicle.ts";
import { HistorySpool } from "./reporting/history-spool.ts";
import { LaunchFailure } from "./io/launch-failure.ts";
import type { LogBuffer } from "./io/log-buffer.ts";
import { modelCost } from "./server/model-cost.ts";
import { ModelTrouble } from "./reporting/model-trouble.ts";
import { Permissions } from "./coding-agents/permissions.ts";
import type { MessageSockets } from "./server/message-sockets.ts";
import { PlatformReports } from "./reporting/platform-reports.ts";
import { podCommands } from "./server/pod-commands.ts";
import { podRoutes } from "./server/pod-routes.ts";
import type { PodContext } from "./io/pod-context.ts";
import type { PodWorkspace } from "./workspace/pod-workspace.ts";
import { sweepProcesses } from "./io/process-sweep.ts";
import { RequestGuard } from "./server/request-guard.ts";
import { SessionModel } from "./session-model.ts";
import { StatusFile } from "./status-file.ts";
import { Timeline } from "./timeline/timeline.ts";
import { UsageSpool } from "./reporting/usage-spool.ts";

/** Name of its own lines in the log. */
const own = "session-agent";
/** Id of the message that the launch brings itself. */
const initialMessage = "initial";

/** What a reader of the log learns of each phase. */
const milestones = {
	starting: "The session agent starts",
	cloning: "The workspace is being made",
	setting_up: "The workspace is there, setup begins",
	starting_agent: "Setup is done",
	ready: "The coding agent is ready",
} as const satisfies Record<Exclude<PodPhase, "failed">, string>;

/** What has to be closed in the end. */
interface Opened {
	conversation?: Conversation;
	reports?: PlatformReports;
	timeline?: Timeline;
	dialogue?: Dialogue;
	chat?: Chat;
	server?: AgentServer;
	messages?: MessageSockets;
	model?: SessionModel;
}

export class SessionAgent {
	readonly #launch: LaunchDocument;
	readonly #log: LogBuffer;
	readonly #status: StatusFile;
	readonly #ending: AbortController;
	readonly #opened: Opened = {};
	readonly #permissions: Permissions;
	readonly #workspace: PodWorkspace;
	readonly #keeper: AgentKeeper;

	/** @param workspace May have begun already. */
	constructor(context: PodContext, workspace: PodWorkspace) {
		const { launch, log, ending } = context;
		this.#launch = launch;
		this.#log = log;
		this.#ending = ending;
		this.#status = new StatusFile(launch.status_file);
		this.#permissions = new Permissions(launch.permission_mode, (said) => log.add("INFO", launch.agent, said));
		this.#workspace = workspace;
		this.#keeper = new AgentKeeper({
			...context,
			permissions: this.#permissions,
			turns: () => this.#opened.conversation?.turns ?? [],
			proxy: () => this.#opened.model?.proxy,
			onNotice: (notice) => this.#opened.chat?.notice(notice),
		});
	}

	/** Resolves when everything it started has ended; false when the pod has failed. */
	async run(): Promise<boolean> {
		const asked = new Promise<void>((resolve) => this.#signal.addEventListener("abort", () => resolve()));
		await Promise.race([asked, this.#live()]).catch((error: unknown) => this.fail(error));
		this.#ending.abort();
		await this.#close();
		return this.#status.status.phase !== "failed";
	}

	/** Ends the pod in order; safe at any time. */
	end(): void {
		this.#ending.abort();
	}

	/** Says in the status why the pod cannot go on, and ends it. */
	fail(error: unknown): void {
		if (this.#signal.aborted) return;
		const { code, message } = asFailure(error);
		const clean = this.#log.withoutSecrets(message);
		this.#log.add("ERROR", own, clean);
		this.#tellFailure(new LaunchFailure(code, clean));
		this.end();
	}

	/** A disk that takes nothing keeps no pod alive. */
	#tellFailure(failure: LaunchFailure): void {
		try {
			this.#status.fail(failure);
		} catch (error) {
			this.#log.add("ERROR", own, `The status cannot be written: ${String(error)}`);
		}
	}

	/** Tokens of its model calls so far. */
	get #metered(): TokenCounts | undefined {
		return this.#opened.reports?.usage.metered;
	}

	get #signal(): AbortSignal {
		return this.#ending.signal;
	}

	/** @throws {LaunchFailure} sooner or later. */
	async #live(): Promise<never> {
		const { state, home } = this.#launch;
		await Promise.all([state, home].map((folder) => mkdir(folder, { recursive: true, mode: 0o700 })));
		this.#enter("starting");
		const dialogue = await this.#openDialogue();
		// It starts while the workspace is made; a failure is heard of when its turn comes.
		const starting = this.#keeper.start();
		starting.catch(() => {});
		const server = await this.#listen(dialogue);
		this.#enter("cloning", { port: server.port });
		const openMessages = this.#takeMessages(server, this.#openChat(dialogue));
		const folder = await this.#workspace.prepare((phase) => this.#enter(phase));
		this.#opened.timeline?.begin();
		const agent = await starting;
		await agent.open(folder).catch(cannotStart);
		this.#enter("ready", { agent_title: agent.title });
		await openMessages();
		return this.#keeper.keep(agent, folder, (next) => dialogue.begin(next));
	}

	async #openDialogue(): Promise<Dialogue> {
		const { state, generation, initial_prompt } = this.#launch;
		const [conversation, history, usage] = await Promise.all([
			Conversation.open(join(state, "conversation.jsonl")),
			HistorySpool.open(join(state, "history.jsonl"), generation),
			UsageSpool.open(join(state, "usage.jsonl")),
		]);
		this.#opened.conversation = conversation;
		if (conversation.isNew && initial_prompt !== "") await conversation.ask(initialMessage, initial_prompt);
		const patch = async (): Promise<DiffPatch> => (await this.#workspace.diff()).wholePatch();
		const timeline = this.#openTimeline();
		const told = { log: this.#log, turns: () => conversation.turns, patch, timeline: timeline.records };
		const events = { onStale: () => this.end(), onLost: () => this.fail(platformLost()) };
		const reports = new PlatformReports(this.#launch, told, { history, usage }, events);
		this.#opened.reports = reports;
		const trouble = new ModelTrouble(() => activity.troubled());
		const dialogue = new Dialogue(conversation, this.#log, () => trouble.failure);
		const activity = new ActivityWatch({
			turnCount: () => dialogue.turnCount,
			permissions: this.#permissions,
			trouble: () => trouble.now,
			report: (report) => reports.activity(report),
		});
		dialogue.watch(trouble);
		dialogue.watch(activity);
		dialogue.watch(timeline.turns);
		dialogue.guard(timeline.turns);
		this.#permissions.watch(activity);
		this.#opened.dialogue = dialogue;
		const { usage: books } = reports;
		const [launch, log] = [this.#launch, this.#log];
		this.#opened.model = await SessionModel.open({ launch, dialogue, usage: books, trouble, log });
		return dialogue;
	}

	#openTimeline(): Timeline {
		const metered = (): TokenCounts | undefined => this.#metered;
		const timeline = new Timeline({ launch: this.#launch, git: this.#workspace.git, log: this.#log, metered });
		this.#opened.timeline = timeline;
		return timeline;
	}

	#openChat(dialogue: Dialogue): Chat {
		const { session_id: sessionId, model_access } = this.#launch;
		// A session that names none has the installation's default.
		const model = this.#launch.model || (model_access?.model ?? "");
		const permissions = this.#permissions;
		const metered = (): TokenCounts | undefined => this.#metered;
		const costOf = (used: TokenCounts): number | undefined => modelCost(used, model_access);
		const chat = new Chat({ sessionId, model, dialogue, permissions, agent: this.#keeper, metered, costOf });
		this.#opened.chat = chat;
		dialogue.watch(chat);
		permissions.watch(chat);
		return chat;
	}

	async #listen(dialogue: Dialogue): Promise<AgentServer> {
		const { session_id: sessionId, platform_key } = this.#launch;
		const status = (): PodStatus => this.#status.status;
		const commanded = { sessionId, dialogue, permissions: this.#permissions };
		const routes = podRoutes({ ...commanded, status, log: this.#log, diff: () => this.#workspace.diff() });
		const api = { routes, commands: podCommands(commanded) };
		const server = await AgentServer.listen(new RequestGuard(platform_key), api, this.#log);
		this.#opened.server = server;
		return server;
	}

	/** Returns what makes ready for the first message; before, that would only delay the start. */
	#takeMessages(server: AgentServer, chat: Chat): () => Promise<MessageSockets> {
		let opening: Promise<MessageSockets> | undefined;
		const open = (): Promise<MessageSockets> => (opening ??= this.#openMessages(chat));
		server.onUpgrade("/session", async (request, socket, head) => (await open()).upgrade(request, socket, head));
		return open;
	}

	async #openMessages(chat: Chat): Promise<MessageSockets> {
		const { MessageSockets } = await import("./server/message-sockets.ts");
		const messages = new MessageSockets(chat);
		this.#opened.messages = messages;
		return messages;
	}

	#enter(phase: Exclude<PodPhase, "failed">, details: Pick<PodStatus, "port" | "agent_title"> = {}): void {
		this.#signal.throwIfAborted();
		this.#status.enter(phase, details);
		this.#log.add("INFO", own, milestones[phase]);
	}

	/** @param since When the pod was asked to end, on the monotonic clock. */
	async #sumUp(since: number): Promise<ChronicleReport | undefined> {
		const { timeline, reports, dialogue } = this.#opened;
		if (!timeline || !reports) return undefined;
		const failure = this.#status.status.failure?.message;
		// An agent that still answers a cancelled turn could not answer this.
		const isIdle = dialogue?.turn === undefined;
		const context = { keeper: this.#keeper, permissions: this.#permissions, timeline, reports };
		return closingChronicle({ since, failure, isIdle, ...context });
	}

	async #close(): Promise<void> {
		const { messages, dialogue, reports, timeline, server, conversation, model } = this.#opened;
		const since = monotonic();
		messages?.close();
		await dialogue?.end();
		const chronicle = await this.#sumUp(since);
		await this.#keeper.close();
		await model?.close();
		await reports?.end(chronicle);
		await timeline?.close();
		await sweepProcesses(markerOf(this.#launch));
		server?.close();
		await conversation?.close();
	}
}

function platformLost(): LaunchFailure {
	return new LaunchFailure("PLATFORM_LOST", "The platform could not be reached for too long");
}

function asFailure(error: unknown): LaunchFailure {
	if (error instanceof LaunchFailure) return error;
	const said = error instanceof Error ? error.message : String(error);
	return new LaunchFailure("AGENT_CRASHED", `The session agent failed: ${said}`, { cause: error });
}
