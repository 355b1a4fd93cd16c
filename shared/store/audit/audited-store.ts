/**
 * A store that enters what persons change into the audit log. The entry of a change is part of the same write: the store
 * enters it in the same transaction, or it waits in the outbox of the changed document until the relay moves it. A removal
 * takes the outbox with the document, so its entry is written before, with the outcome `begun`.
 */
import { randomUUID } from "node:crypto";
import { LRUCache } from "lru-cache";
import { isoTime, monotonic, now, sleep } from "#shared/base/clock.ts";
import { UnavailableError } from "#shared/base/errors.ts";
import type { Collection, Columns, Document } from "../collection.ts";
import { tooFast } from "../compare-and-set.ts";
import { decoratedStore } from "../decorated-store.ts";
import type { DocumentStore } from "../document-store.ts";
import { repeatLostRaces } from "../lost-races.ts";
import type { Change, Documents, Guard, OutboxEntry } from "../port/documents.ts";
import { type Actor, currentActor } from "#shared/base/actor.ts";
import type { AuditDraft, AuditFacts } from "./audit-chain.ts";
import type { AuditLog } from "./audit-log.ts";

/** The type of the events that are entries of the audit log. */
export const auditType = "audit";

/** Longest text of one shown member, in UTF-16 units. */
const maxShown = 200;

/** The longest wait of a removal for the relay, and the interval at which it looks, in milliseconds. */
const emptyWithinMs = 5_000;
const emptyPollMs = 10;

/** The time in which a repeated read of the same object by the same person is one entry, in milliseconds. */
const sameReadMs = 60_000;
/** The count of reads that this process remembers. */
const rememberedReads = 1_000;

/** A store that may note in the audit log what people read of others, and what they are about to change. */
export type NotingStore = Documents & Partial<Pick<AuditedWrites, "noteRead" | "noteBegun">>;

type NotedFacts = Pick<AuditFacts, "outcome" | "resource" | "reason" | "changed">;

export type AuditedStore = DocumentStore & AuditedWrites;

/**
 * Decorates a store, which the caller opens and closes.
 * @param wakeRelay Makes the relay look at once into the outboxes of audited documents.
 */
export function auditedStore(store: DocumentStore, log: AuditLog, wakeRelay: () => void): AuditedStore {
	return decoratedStore(store, new AuditedWrites(store, log, wakeRelay));
}

/** The writes that have entries, and what else is noted. */
class AuditedWrites implements Pick<Documents, "insert" | "update" | "remove"> {
	readonly #store: DocumentStore;
	readonly #log: AuditLog;
	/** The times of the newest entries of reads. */
	readonly #reads = new LRUCache<string, number>({ max: rememberedReads });
	readonly #wakeRelay: () => void;

	constructor(store: DocumentStore, log: AuditLog, wakeRelay: () => void) {
		this.#store = store;
		this.#log = log;
		this.#wakeRelay = wakeRelay;
	}

	insert<C extends Columns>(
		collection: Collection<C>,
		document: Document<C>,
		events: readonly OutboxEntry[] = [],
	): Promise<void> {
		const actor = actorFor(collection);
		if (!actor) return this.#store.insert(collection, document, events);
		const changed = shownMembers(collection, document.wire);
		const entries = entriesOf(actor, { collection, id: document.id, rev: revisionOf(document), changed });
		return this.#store.insert(collection, document, [...events, ...entries]);
	}

	update<C extends Columns>(
		collection: Collection<C>,
		id: string,
		guard: Guard<C>,
		change: Change<C>,
		events: readonly OutboxEntry[] = [],
	): Promise<Document<C> | undefined> {
		const actor = actorFor(collection);
		const rev = actor && revisionOf(change.set ?? {});
		// Columns that clients do not see are no change of the object.
		if (!actor || rev === undefined) return this.#store.update(collection, id, guard, change, events);
		const changed = shownMembers(collection, change.wire);
		return this.#store.update(collection, id, guard, change, [
			...events,
			...entriesOf(actor, { collection, id, rev, changed }),
		]);
	}

	async remove<C extends Columns>(collection: Collection<C>, id: string, guard: Guard<C>): Promise<boolean> {
		if (!collection.audited) return this.#store.remove(collection, id, guard);
		const resource = `${collection.name}/${id}`;
		const actor = currentActor();
		let isEntered = false;
		return repeatLostRaces(
			async () => {
				const rev = await this.#revision(collection, id);
				if (rev === undefined) return false;
				await this.#emptyOutbox(collection, id);
				if (actor && !isEntered)
					await this.#noteIn(logsFor(actor, collection, id), actor, { outcome: "begun", resource });
				isEntered = true;
				// A change since the look into the outbox has an entry of its own and another `rev`.
				if (await this.#store.remove<Columns>(collection, id, withRevision(guard, rev))) return true;
				return (await this.#revision(collection, id)) === rev ? false : undefined;
			},
			{ refusal: () => tooFast(`"${resource}"`) },
		);
	}

	/** Returns the `rev` of a document, null for one without; undefined when there is no document. */
	async #revision(collection: Collection, id: string): Promise<number | null | undefined> {
		const found = await this.#store.get(collection, id);
		return found && (revisionOf(found) ?? null);
	}

	/** Resolves when no entry waits in the document, which would be lost with it. @throws {UnavailableError} */
	async #emptyOutbox(collection: Collection, id: string): Promise<void> {
		const end = monotonic() + emptyWithinMs;
		while (await this.#store.isWaiting(collection, id)) {
			if (monotonic() > end) throw new UnavailableError("The audit log cannot be written now, so nothing is removed");
			this.#wakeRelay();
			await sleep(emptyPollMs);
		}
	}

	/** Enters something that is no change of a document, at once. @throws when the entry is not in the log. */
	note(actor: Actor, facts: NotedFacts): Promise<void> {
		return this.#noteIn([actor.principal.tenant], actor, facts);
	}

	async #noteIn(tenants: readonly string[], actor: Actor, facts: NotedFacts): Promise<void> {
		const told = factsOf(actor, facts);
		await this.#log.append(tenants.map((tenant) => ({ tenant, key: `note:${randomUUID()}`, facts: told })));
	}

	/** Enters that the present actor is about to change something that has no revisions. @throws as {@link note} does. */
	async noteBegun(resource: string): Promise<void> {
		const actor = currentActor();
		if (actor) await this.note(actor, { outcome: "begun", resource });
	}

	/**
	 * Enters that the present actor has read an object of somebody else. A repetition within a minute is no entry.
	 * @throws when the entry is not in the log; the caller then shows nothing.
	 */
	async noteRead(resource: string): Promise<void> {
		const actor = currentActor();
		if (!actor?.isRead) return;
		const { tenant, id } = actor.principal;
		const key = JSON.stringify([tenant, id, actor.action, resource]);
		if (now() - (this.#reads.get(key) ?? -Infinity) < sameReadMs) return;
		await this.note(actor, { outcome: "read", resource });
		this.#reads.set(key, now());
	}
}

/** Returns the actor whose changes of this collection are entered. */
function actorFor({ audited }: Collection): Actor | undefined {
	return audited === undefined ? undefined : currentActor();
}

/** Returns the guard for this revision too, unless the caller names one. */
function withRevision(guard: Guard<Columns>, rev: number | null): Guard<Columns> {
	return rev === null ? guard : { ...guard, equals: { rev, ...guard.equals } };
}

function revisionOf(columns: Readonly<Record<string, unknown>>): number | undefined {
	const { rev } = columns;
	return typeof rev === "number" ? rev : undefined;
}

/** The facts as they wait in an outbox. */
interface WrittenFacts extends AuditFacts {
	/** Differs for each write: a document may have the id, and so the revisions, of a removed one. */
	readonly write: string;
}

interface AuditedWrite {
	readonly collection: Collection;
	readonly id: string;
	readonly rev: number | undefined;
	readonly changed: Record<string, unknown> | undefined;
}

/** Returns the tenants whose logs have an entry: that of the actor, and that of the object where it is another one. */
function logsFor({ principal: { tenant } }: Actor, { tenantOf }: Collection, id: string): string[] {
	const own = tenantOf?.(id);
	return own === undefined || own === tenant ? [tenant] : [tenant, own];
}

function entriesOf(actor: Actor, { collection, id, rev, changed }: AuditedWrite): OutboxEntry[] {
	if (rev === undefined) throw new TypeError(`Cannot audit "${collection.name}/${id}": it is written without "rev"`);
	const facts = factsOf(actor, { outcome: "done", resource: `${collection.name}/${id}`, ...(changed && { changed }) });
	const at = now();
	return logsFor(actor, collection, id).map((tenant) => {
		const written: WrittenFacts = { write: randomUUID(), ...facts };
		return { n: rev, type: auditType, data: JSON.stringify(written), audience: { tenant }, at };
	});
}

/** Returns the draft of an entry that waited in an outbox. @param key The document and its revision. */
export function draftOf(key: string, { data, audience }: OutboxEntry): AuditDraft {
	const { write, ...facts }: WrittenFacts = JSON.parse(data);
	return { key: `${key}:${write}`, tenant: audience.tenant, facts };
}

/** Returns the facts of an entry in the order in which they are shown. */
function factsOf(
	{ principal, action, request_id, address }: Actor,
	{ outcome, resource, reason, changed }: NotedFacts,
): AuditFacts {
	return {
		time: isoTime(),
		actor: { kind: principal.kind, id: principal.id },
		action,
		outcome,
		...(resource !== undefined && { resource }),
		...(changed && { changed }),
		...(reason !== undefined && { reason }),
		...(request_id !== undefined && { request_id }),
		...(address !== undefined && { address }),
	};
}

/** Returns the members of a text that may be shown; undefined when there is none. */
function shownMembers({ audited = [] }: Collection, wire: string | undefined): Record<string, unknown> | undefined {
	if (wire === undefined || audited.length === 0) return undefined;
	const value: Record<string, unknown> = JSON.parse(wire);
	const names = audited === "all" ? Object.keys(value) : audited;
	const shown = names.filter((name) => value[name] !== undefined).map((name) => [name, shownValue(value[name])]);
	return shown.length === 0 ? undefined : Object.fromEntries(shown);
}

function shownValue(value: unknown): unknown {
	if (typeof value === "number" || typeof value === "boolean" || value === null) return value;
	const text = typeof value === "string" ? value : JSON.stringify(value);
	return text.length <= maxShown ? value : `${text.slice(0, maxShown)}…`;
}
