/** The sessions part: the only one that opens the store. */
import { join } from "node:path";
import { loadAdapter } from "#shared/adapter.ts";
import { gitProtocols } from "#shared/git/allowed-protocols.ts";
import type { Part, Platform } from "#shared/platform.ts";
import { type DocumentStore, documentStoreMethods } from "#shared/store/document-store.ts";
import { eventLogCollection, eventLogNameCollection } from "./event-log-collection.ts";
import { EventLog } from "./event-log.ts";
import { eventLogService } from "./event-log.service.ts";
import { Hints } from "./hints.ts";
import { historyChunkCollection, historyCollection } from "./history-collections.ts";
import { HistoryReports } from "./history-reports.ts";
import { historyService } from "./history.service.ts";
import { releaseLeases } from "./lease-release.ts";
import { keptAnswerCollection } from "./kept-answer-collection.ts";
import { KeptAnswers } from "./kept-answers.ts";
import { OutboxRelay } from "./outbox-relay.ts";
import { SessionAgentClient } from "./session-agent-client.ts";
import { SessionClaims } from "./session-claims.ts";
import { sessionCollection, type SessionDocument } from "./session-collection.ts";
import { SessionCommands } from "./session-commands.ts";
import { SessionHistory } from "./session-history.ts";
import { SessionPod } from "./session-pod.ts";
import { SessionRecords } from "./session-records.ts";
import { sessionWorkService } from "./session-work.service.ts";
import { sessionsService } from "./sessions.service.ts";
import { StoppedSessions } from "./stopped-sessions.ts";
import { usageService } from "./usage.service.ts";

export async function compose({ config, key, readiness }: Platform): Promise<Part> {
	const store = await loadAdapter<DocumentStore>(config.store, documentStoreMethods, {
		folder: join(config.data_dir, "store"),
	});
	await store.open([
		sessionCollection,
		eventLogCollection,
		eventLogNameCollection,
		historyCollection,
		historyChunkCollection,
		keptAnswerCollection,
	]);
	if (config.bus.url === "") await releaseLeases(store);
	readiness.set("store", () => store.ping());

	const hints = new Hints();
	const log = new EventLog(store);
	const relay = new OutboxRelay(store, log, [sessionCollection], {
		onAppended: (seq) => hints.logAppended(seq),
		onError: (error) => console.error("Events wait in the store:", error),
	});
	const records = new SessionRecords(store, () => relay.wake());
	const due = (id: string) => hints.sessionDue(id);
	const kept = new KeptAnswers(store);
	const commands = new SessionCommands(records, kept, due);
	const client = new SessionAgentClient();
	const history = new SessionHistory(store);
	const pod = new SessionPod({ client, key, history, kept });
	const stopped = new StoppedSessions(records, kept);
	const forget = async (document: SessionDocument) => {
		await history.remove(document.id);
		await kept.outlive(document);
	};

	return {
		services: [
			sessionsService({ records, commands, stopped, pod, gitProtocols: gitProtocols(config) }, hints),
			sessionWorkService(new SessionClaims(store, records, due, forget)),
			eventLogService(log, relay),
			historyService(new HistoryReports(records, history)),
			usageService(records),
		],
		async close() {
			client.close();
			await store.close();
		},
	};
}
