/** A store with its two logs as a process has them: the store enters events itself, or a relay moves them. */
import { type AuditedStore, auditedStore } from "#shared/store/audit/audited-store.ts";
import { auditCheckpointCollection, auditLogCollection } from "#shared/store/audit/audit-collections.ts";
import type { ChainedEntry } from "#shared/store/audit/audit-chain.ts";
import type { AuditLog } from "#shared/store/audit/audit-log.ts";
import { type Verification, verifyAudit } from "#shared/store/audit/audit-verification.ts";
import type { LogEntry } from "#shared/contracts/event-log.ts";
import {
	eventLogCollection,
	eventLogNameCollection,
	eventLogReaderCollection,
} from "#shared/store/event-log/event-log-collection.ts";
import type { EventLog } from "#shared/store/event-log/event-log.ts";
import { OutboxRelay } from "#shared/store/event-log/outbox-relay.ts";
import type { Collection } from "#shared/store/collection.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { logsOn } from "./logs-on.ts";

/** The collections of the logs. */
export const logCollections = [
	eventLogCollection,
	eventLogNameCollection,
	eventLogReaderCollection,
	auditLogCollection,
	auditCheckpointCollection,
] as const;

export class LoggedStore implements AsyncDisposable {
	readonly store: AuditedStore;
	readonly events: EventLog;
	readonly audit: AuditLog;
	readonly relay: OutboxRelay;
	/** The numbers that were announced. */
	readonly hints: number[] = [];

	private constructor(store: DocumentStore, collections: readonly Collection[]) {
		const logs = logsOn(store);
		this.events = logs.events;
		this.audit = logs.audit;
		this.relay = new OutboxRelay(store, logs, collections, () => {});
		this.store = auditedStore(store, logs.audit, () => this.relay.wakeAll());
		this.relay.onMoved((seq) => this.hints.push(seq));
	}

	/** @param store An open store with {@link logCollections}. @param collections Those whose documents have events or are audited. */
	static async on(store: DocumentStore, collections: readonly Collection[]): Promise<LoggedStore> {
		const logged = new LoggedStore(store, collections);
		if (store.transactions) await logged.relay.replaceBy(store.transactions);
		logged.relay.start();
		return logged;
	}

	/** Returns the whole event log. */
	async entries(): Promise<LogEntry[]> {
		const entries: LogEntry[] = [];
		for (;;) {
			const more = await this.events.read(entries.length, 500);
			if (more.length === 0) return entries;
			entries.push(...more);
		}
	}

	async audited(tenant: string): Promise<ChainedEntry[]> {
		return (await this.audit.entries(tenant, 0, 500)).map((text): ChainedEntry => JSON.parse(text));
	}

	/** Verifies the chain of a tenant, up to its newest checkpoint. */
	async verified(tenant: string): Promise<Verification> {
		const checkpoints = (await this.audit.checkpoints(tenant, 0, 100)).map((text) => JSON.parse(text));
		return verifyAudit({ publicKey: this.audit.publicKey, checkpoints, entries: await this.audited(tenant) });
	}

	/** Resolves when the relay has moved everything that waits. */
	async settled(): Promise<void> {
		this.relay.wakeAll();
		await this.relay.settled();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.relay.stop();
	}
}
