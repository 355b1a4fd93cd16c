/** Composes the sessions part. */
import { departedOwners } from "#shared/bus/departed-owners.ts";
import type { Caller } from "#shared/bus/service.ts";
import { readModelCatalogue } from "#shared/wire/models/model-catalogue.ts";
import { limitsOf } from "#shared/config/limits.ts";
import type { Part, StoringPlatform } from "#host/platform.ts";
import type { RecurringJob } from "#shared/base/concurrency/recurring-job.ts";
import { bookCollections, type OpenBooks, openBooks } from "./books/open-books.ts";
import { CountFolding } from "./books/count-folding.ts";
import { SessionCounts } from "./books/session-counts.ts";
import { budgetsService } from "./budgets.service.ts";
import { Hints } from "./hints.ts";
import { historyChunkCollection, historyCollection } from "./history/history-collections.ts";
import { keyedDeletionsService } from "./keyed-deletions.service.ts";
import { HistoryReports } from "./history/history-reports.ts";
import { historyService } from "./history.service.ts";
import { chronicleCollections, type Chronicles, composeChronicles } from "./chronicles/compose-chronicles.ts";
import { ChatAddresses } from "./record/chat-endpoint.ts";
import { chroniclesService } from "./chronicles.service.ts";
import { SessionControl } from "./pod/session-control.ts";
import { sessionControlService } from "./session-control.service.ts";
import { sessionEventCollection } from "./raw-events/session-event-collection.ts";
import { SessionEventRecords } from "./raw-events/session-event-records.ts";
import { sessionEventsService } from "./session-events.service.ts";
import { SessionErasure } from "./history/session-erasure.ts";
import { awayHostsJob, type AwayHostsDependencies } from "./claims/away-hosts.ts";
import { releaseLeases } from "./claims/lease-release.ts";
import { idempotencyRecordCollection } from "./commands/idempotency-record-collection.ts";
import { idempotencyRecordSweep } from "./commands/idempotency-record-sweep.ts";
import { IdempotencyRecords } from "./commands/idempotency-records.ts";
import { SessionAgentClient } from "./pod/session-agent-client.ts";
import { sessionsWithCredential, type SoughtCredential } from "./claims/credential-users.ts";
import type { HostBinding } from "./record/host-binding.ts";
import { LaunchMetrics } from "./claims/launch-metrics.ts";
import { measureStatuses } from "./record/status-counts.ts";
import { type ClaimDependencies, SessionClaims } from "./claims/session-claims.ts";
import { measureWaitingLaunches } from "./claims/waiting-launches.ts";
import { sessionCollection } from "./record/session-collection.ts";
import { SessionCreations } from "./commands/session-creations.ts";
import { SessionCommands } from "./commands/session-commands.ts";
import { SessionHistory } from "./history/session-history.ts";
import { SessionPod } from "./pod/session-pod.ts";
import { RunningLimits } from "./record/running-limits.ts";
import { SessionRecords } from "./record/session-records.ts";
import { SessionUpdates } from "./pod/session-updates.ts";
import { sessionRules } from "./commands/session-rules.ts";
import { SessionStops } from "./commands/session-stops.ts";
import { sessionWorkService } from "./session-work.service.ts";
import { sessionsService } from "./sessions.service.ts";
import { composeWorkspaces } from "./workspaces/compose-workspaces.ts";
import { DiskShortage } from "./claims/disk-shortage.ts";
import { workspaceCollection } from "./workspaces/workspace-collection.ts";
import { workspacesService } from "./workspaces.service.ts";
import { workspaceWorkService } from "./workspace-work.service.ts";
import { StoppedSessions } from "./commands/stopped-sessions.ts";
import { usageService } from "./usage.service.ts";

export { fenceLaunches as afterRestore } from "./claims/launch-fence.ts";

/** The collections; the relay moves their events in this order. */
export const collections = [
	sessionCollection,
	historyCollection,
	historyChunkCollection,
	idempotencyRecordCollection,
	...chronicleCollections,
	sessionEventCollection,
	workspaceCollection,
	...bookCollections,
] as const;

export async function compose(platform: StoringPlatform): Promise<Part> {
	const { config, key, store, relay, metrics, log } = platform;
	const catalogue = readModelCatalogue(config.models.file);
	const rules = sessionRules(platform, catalogue);
	const { counts, folding } = openCounts(platform);
	const binding = await openBinding(platform);
	const { validate_on_create: validates } = config.git;
	const hints = new Hints();
	const wake = () => relay.wake();
	const records = openRecords(platform, wake);
	const books = openBooks({ store, config, catalogue, records, counts, log, metrics });
	const due = (id: string) => hints.sessionDue(id);
	const idempotency = new IdempotencyRecords(store);
	const workspaces = composeWorkspaces({ store, log, config, binding, due: (id) => hints.workspaceDue(id) });
	const { ofSessions } = workspaces;
	const running = new RunningLimits(store, limitsOf(config, platform.trustsCallers));
	const creations = new SessionCreations(records, idempotency, ofSessions);
	const commands = new SessionCommands({ records, creations, rules, running, workspaces: ofSessions, due });
	const stops = new SessionStops(commands, records);
	const stopped = new StoppedSessions(records, idempotency);
	const client = new SessionAgentClient({ hosts: config.pods.agent_hosts });
	const history = new SessionHistory(store);
	const pod = new SessionPod({ client, key, history, idempotency });
	const updates = new SessionUpdates({ records, models: rules.models, client, key });
	const chronicles = composeChronicles({ store, wake, sessions: records, creations, rules, log });
	const events = new SessionEventRecords(store);
	const use = { records, binding, workspaces: ofSessions };
	const erasure = new SessionErasure({ ...use, history, events, idempotency, chronicles: chronicles.ofSession });
	const { departed, attach } = owners();
	const told = { ...endings(books, erasure), ...notes(chronicles) };
	const claims = new SessionClaims(store, { ...use, departed, hint: due, ...told });
	const awayHosts = watchHosts(platform, { records, binding });

	return {
		services: [
			sessionsService(
				{ ...use, commands, stops, stopped, pod, sweep: idempotencyRecordSweep(store, log), updates, validates },
				hints,
			),
			workspacesService(workspaces.records, workspaces.upkeep),
			workspaceWorkService(workspaces.tasks, new DiskShortage({ store, records, hint: due })),
			sessionControlService(new SessionControl(records, client, key)),
			sessionWorkService(claims, { ...questionsOver(store, books), attach }),
			keyedDeletionsService(idempotency),
			historyService(new HistoryReports({ records, history, chronicles: chronicles.ofSession, events, erasure })),
			chroniclesService(chronicles, pod),
			sessionEventsService(records, events),
			usageService(books),
			budgetsService(books),
		],
		drain: async () => stops.release(),
		async close() {
			await awayHosts.stop();
			client.close();
			await pod.close();
			await folding.close();
			await counts.settled();
		},
	};
}

/** Returns the answers of other modules about sessions. */
function questionsOver(store: StoringPlatform["store"], { budgets }: OpenBooks) {
	return {
		isLimited: (id: string) => budgets.isLimited(id),
		withCredential: (sought: SoughtCredential) => sessionsWithCredential(store, sought),
	};
}

/** Returns the question who has departed, which is asked over the bus once that is attached. */
function owners() {
	let bus: Caller | undefined;
	const attach = (broker: Caller) => void (bus = broker);
	return { departed: departedOwners(() => bus), attach };
}

/** Returns what ends with a pod, and with a session. */
function endings({ budgets }: OpenBooks, erasure: SessionErasure): Pick<ClaimDependencies, "podGone" | "forget"> {
	return { podGone: (document) => budgets.releaseAll(document), forget: (gone) => erasure.erase(gone) };
}

function notes({ ofSession }: Chronicles): Pick<ClaimDependencies, "noteWarnings"> {
	return { noteWarnings: (record, sentences) => ofSession.noteWarnings(record, sentences) };
}

/** Returns the rule of the hosts. The only process releases the leases that it has left; those of others are in use. */
async function openBinding({ config, store }: StoringPlatform): Promise<HostBinding> {
	const isAlone = config.bus.url === "" && !store.isShared;
	if (isAlone) await releaseLeases(store);
	return { isAlone };
}

/** Watches the hosts, unless there is only this process, which does not announce itself. */
function watchHosts(
	{ store, processes, log }: StoringPlatform,
	{ binding, records }: Pick<AwayHostsDependencies, "records"> & { readonly binding: HostBinding },
): RecurringJob {
	const job = awayHostsJob({ records, store, processes }, log);
	if (!binding.isAlone) job.start();
	return job;
}

function openRecords({ config, metrics, store }: StoringPlatform, wake: () => void): SessionRecords {
	measureStatuses(metrics, store);
	measureWaitingLaunches(metrics, store);
	const launches = new LaunchMetrics(metrics);
	return new SessionRecords(store, wake, {
		chats: new ChatAddresses(config.gateway),
		changed: (before, session) => launches.changed(before, session),
	});
}

function openCounts({ store, eventLog, relay, log }: StoringPlatform) {
	const counts = new SessionCounts(store, eventLog);
	const onError = (error: unknown) => log.error("Sessions cannot be counted now:", error);
	const folding = new CountFolding(counts, () => relay.isLeading, onError);
	relay.onAppended(() => folding.request());
	relay.beforeTrim("sessions.counts", () => counts.fold());
	return { counts, folding };
}
