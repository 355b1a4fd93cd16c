/**
 * The stages in which a session agent opens. The type of a stage names everything that is open in it, so nothing can
 * be read before it exists. Each stage puts what it opens on the host's stack, which closes it in the reverse order.
 */
import { join } from "node:path";
import type { PodSecrets } from "#shared/contracts/credentials/pod-secrets.ts";
import type { DiffPatch } from "#shared/contracts/sessions/session-diff.ts";
import type { ConversationTurn } from "#shared/contracts/sessions/sessions.ts";
import type { ModelTerms } from "#shared/wire/models/model-wire.ts";
import type { TokenCounts } from "#shared/wire/models/token-counts.ts";
import type { AgentMode, PublishedWork } from "#shared/contracts/sessions/session-control.ts";
import type { PublishOrder } from "#shared/wire/pod/published-work.ts";
import type { AgentNotice, ModeNotice } from "./coding-agents/coding-agent.ts";
import { AgentKeeper } from "./coding-agents/agent-keeper.ts";
import type { Permissions } from "./coding-agents/permissions.ts";
import type { PreloadedAgent } from "./coding-agents/preloaded-agent.ts";
import { Conversation } from "./conversation/conversation.ts";
import { Dialogue } from "./conversation/dialogue.ts";
import type { PodContext } from "./io/pod-context.ts";
import { TokenMeter } from "#shared/model-proxy/metering/token-meter.ts";
import { ActivityWatch } from "./reporting/activity-watch.ts";
import { closingChronicle } from "./reporting/closing-chronicle.ts";
import { HistorySpool } from "./reporting/history-spool.ts";
import { ModelTrouble } from "./reporting/model-trouble.ts";
import type { PlatformEvents } from "#shared/model-proxy/platform/platform-client.ts";
import { PlatformReports, type Spools } from "./reporting/platform-reports.ts";
import { UsageSpool } from "#shared/model-proxy/books/usage-spool.ts";
import { AgentServer } from "./server/agent-server.ts";
import { Chat } from "./server/chat.ts";
import { modelCost } from "./server/model-cost.ts";
import { podCommands } from "./server/pod-commands.ts";
import { podRoutes } from "./server/pod-routes.ts";
import { RequestGuard } from "./server/request-guard.ts";
import { SessionModel } from "./session-model.ts";
import type { StatusKeeper } from "./status-keeper.ts";
import { Timeline } from "./timeline/timeline.ts";
import type { PodWorkspace } from "./workspace/pod-workspace.ts";
import type { WorkPublication } from "./workspace/publish/publication.ts";

/** The id of the message that the launch itself contains. */
const initialMessage = "initial";

/** The dependencies that every stage may use. */
export interface StageHost {
	readonly context: PodContext;
	readonly workspace: PodWorkspace;
	readonly status: StatusKeeper;
	readonly permissions: Permissions;
	/** The coding agent that was started before the session. */
	readonly preloaded?: PreloadedAgent | undefined;
	/** The host disposes of the stack. */
	readonly closing: AsyncDisposableStack;
	readonly events: PlatformEvents;
	/** Tells when the pod began to end, on the monotonic clock. It is asked while the pod closes. */
	readonly endedAt: () => number;
}

/** The session's records on disk, and a server that answers 503 until it has something to serve. */
export interface RecordsStage {
	readonly conversation: Conversation;
	readonly spools: Spools;
	readonly server: AgentServer;
}

/** The platform receives reports of the session. */
export interface ReportingStage extends RecordsStage {
	readonly meter: TokenMeter;
	readonly timeline: Timeline;
	readonly reports: PlatformReports;
}

/** Messages can be stored, and the session's model can be reached. */
export interface DialogueStage extends ReportingStage {
	readonly dialogue: Dialogue;
	readonly model: SessionModel;
}

/** Everything that a coding agent needs is open, and the pod answers requests. */
export interface ServingStage extends DialogueStage {
	readonly keeper: AgentKeeper;
	readonly chat: Chat;
}

/** Opens all stages in order. @throws {Error} when the session's records cannot be read or written. */
export async function openStages(host: StageHost): Promise<ServingStage> {
	const records = await openRecords(host);
	const reporting = openReporting(host, records);
	const dialogue = await openDialogue(host, reporting);
	return openServing(host, dialogue);
}

async function openRecords({ context: { launch, log }, closing }: StageHost): Promise<RecordsStage> {
	const { state, generation, platform_key, initial_prompt } = launch;
	const { listen_host: host, listen_port: port, listen_socket: path } = launch;
	const [conversation, history, usage, server] = await Promise.all([
		Conversation.open(join(state, "conversation.jsonl")),
		HistorySpool.open(join(state, "history.jsonl"), generation),
		UsageSpool.open(join(state, "usage.jsonl")),
		AgentServer.listen(new RequestGuard(platform_key, host), log, path === undefined ? { host, port } : { path }),
	]);
	closing.defer(() => conversation.close());
	closing.defer(() => server.close());
	if (conversation.isNew && initial_prompt !== "") await conversation.ask(initialMessage, initial_prompt);
	return { conversation, spools: { history, usage }, server };
}

function openReporting({ context, workspace, closing, events }: StageHost, stage: RecordsStage): ReportingStage {
	const { launch, log } = context;
	const { conversation, spools } = stage;
	const meter = new TokenMeter();
	const timeline = new Timeline({ launch, git: workspace.git, log, metered: () => meter.total });
	closing.defer(() => timeline.close());
	const patch = async (base: string): Promise<DiffPatch> => (await workspace.diff()).wholePatch(base);
	const sources = { log, turns: () => conversation.turns, patch, timeline: timeline.records };
	const reports = new PlatformReports({ launch, sources, spools, meter, events });
	closing.defer(() => reports.close());
	return { ...stage, meter, timeline, reports };
}

async function openDialogue(host: StageHost, stage: ReportingStage): Promise<DialogueStage> {
	const { context, permissions, closing } = host;
	const { launch, log } = context;
	const { conversation, timeline, reports, meter } = stage;
	const trouble = new ModelTrouble();
	const dialogue = new Dialogue(conversation, log, () => trouble.failure);
	const activity = new ActivityWatch({
		turnCount: () => dialogue.turnCount,
		permissions,
		trouble: () => trouble.now,
		report: (report) => reports.activity(report),
	});
	trouble.watch(() => activity.troubled());
	dialogue.watch(trouble);
	dialogue.watch(activity);
	dialogue.watch(timeline.turns);
	dialogue.guard(timeline.turns);
	permissions.watch(activity);
	permissions.watch(timeline.turns);
	const model = await SessionModel.open({ launch, dialogue, usage: reports.usage, meter, trouble, log });
	closing.defer(() => model.close());
	return { ...stage, dialogue, model };
}

/** Closing this stage ends the current turn, asks the agent for its summary of the launch, and then ends the agent. */
function openServing(host: StageHost, stage: DialogueStage): ServingStage {
	const { context, workspace, status, permissions, preloaded, closing, endedAt } = host;
	const { conversation, dialogue, model, timeline, reports, server } = stage;
	const { log } = context;
	const { session_id: sessionId } = context.launch;
	const turns = (): readonly ConversationTurn[] => conversation.turns;
	const keeper = new AgentKeeper({ ...context, permissions, turns, proxy: model.proxy, preloaded });
	closing.defer(() => keeper.close());
	closing.defer(async () => {
		// An agent that still answers a cancelled turn could not answer another question.
		const isIdle = dialogue.turn === undefined;
		const failure = status.status.failure?.message;
		const parts = { keeper, permissions, timeline, reports, isIdle, failure, since: endedAt() };
		reports.conclude(await closingChronicle(parts));
	});
	closing.defer(() => dialogue.end());
	const chat = openChat(host, stage, keeper);
	const commanded = { sessionId, dialogue, permissions };
	const setMode = async (mode: string): Promise<AgentMode> => modeOf(await keeper.setMode(mode));
	const mode = (): AgentMode | undefined => keeper.mode && modeOf(keeper.mode);
	keeper.watch(modeChanges((sentence) => timeline.turns.note(sentence)));
	const routes = podRoutes({ ...commanded, mode, status: () => status.status, log, diff: () => workspace.diff() });
	const changeModel = (terms: ModelTerms): Promise<boolean> => chat.changeModel(terms);
	const replaceSecrets = (secrets: PodSecrets): Promise<boolean> => workspace.secrets.replace(secrets);
	const publish = publisher(context, dialogue);
	server.serve({ routes, commands: podCommands({ ...commanded, setMode, changeModel, replaceSecrets, publish }) });
	return { ...stage, keeper, chat };
}

function modeOf({ id, name, modes }: ModeNotice): AgentMode {
	return { id, name, modes };
}

/** Returns a watcher of the agent that tells each change of the agent's own mode, and not its first mode. */
function modeChanges(tell: (sentence: string) => void): (notice: AgentNotice) => void {
	let known: string | undefined;
	return (notice) => {
		if (notice.type !== "mode") return;
		if (known !== undefined && known !== notice.id) tell(`The coding agent is in its mode "${notice.name}"`);
		known = notice.id;
	};
}

/** The module is loaded with the first call, because most launches publish nothing. */
function publisher(context: PodContext, dialogue: Dialogue): (order: PublishOrder) => Promise<PublishedWork> {
	let opening: Promise<WorkPublication> | undefined;
	const open = async (): Promise<WorkPublication> => {
		const { WorkPublication } = await import("./workspace/publish/publication.ts");
		return new WorkPublication(context, () => dialogue.turn !== undefined);
	};
	return async (order) => (await (opening ??= open())).publish(order);
}

/** Writes a warning to the session's log and, by the status, into its record. */
function warn({ launch, log }: PodContext, status: StatusKeeper, sentence: string): void {
	log.add("WARNING", launch.agent, sentence);
	status.warn(log.withoutSecrets(sentence));
}

function openChat(
	{ context, permissions, status }: StageHost,
	{ dialogue, meter, model: sessionModel }: DialogueStage,
	agent: AgentKeeper,
): Chat {
	const { session_id: sessionId, model_access, model: named } = context.launch;
	// A session without a model of its own has the installation's default.
	const model = named || (model_access?.model ?? "");
	const { proxy } = sessionModel;
	const costOf = (used: TokenCounts): number | undefined => modelCost(used, proxy?.access);
	const chat = new Chat({
		sessionId,
		model,
		dialogue,
		permissions,
		agent,
		proxy: proxy && sessionModel,
		meter,
		costOf,
	});
	dialogue.watch(chat);
	permissions.watch(chat);
	agent.watch((notice) => (notice.type === "warning" ? warn(context, status, notice.sentence) : chat.notice(notice)));
	return chat;
}
