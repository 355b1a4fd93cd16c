/**
 * The repository of sessions. Every method takes the principal first: sessions that the principal may not see do not
 * exist for it. Beside its lists it is no table of ResourceRecords: its changes wait in a queue, count, and have rules of budgets,
 * launches and events of their own.
 */
import type { NotingStore } from "#shared/store/audit/audited-store.ts";
import type { Principal } from "#shared/base/principal.ts";
import { isoTime } from "#shared/base/clock.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { NotFoundError } from "#shared/base/errors.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { mayUseSession, relationTo, seesWholeTenant } from "#shared/contracts/access/access-table.ts";
import type { Guard, OutboxEntry } from "#shared/store/port/documents.ts";
import { ResourceRecords, type ResourcesIn } from "#shared/store/resource-records.ts";
import { withBudgetRules } from "./session-budget.ts";
import { countersChange, type SessionCounters } from "./counters-change.ts";
import { ChangeQueue } from "./change-queue.ts";
import { ChatAddresses, chatPath } from "./chat-endpoint.ts";
import { sessionCollection, type SessionDocument } from "./session-collection.ts";
import { type ColumnChange, recordOf, type SessionChange, type SessionRecord } from "./session-change.ts";
import type { StoredStatus } from "./session-lifecycle.ts";
import { refuseStale } from "./stale-launch.ts";

interface SessionFilter {
	/** A status, or one of the lists of sessions. */
	readonly by: { status: StoredStatus } | { shelf: "active" | "archived" };
	/** The exact name of the sessions; absent: any. */
	readonly name?: string | undefined;
	readonly limit: number;
	readonly cursor?: string | undefined;
}

interface ChangeOptions {
	/** The columns, beside the revision, that must be equal. */
	readonly guard?: Guard<(typeof sessionCollection)["columns"]>["equals"];
	/** The time after which nobody waits for the answer, in milliseconds since 1970. */
	readonly deadline?: number | undefined;
}

export interface SessionRecordsOptions {
	/** Default: sessions have no address of a chat. */
	readonly chats?: ChatAddresses;
	/** Learns of each change with the status before it; default: nobody does. */
	readonly changed?: (before: string, session: Session) => void;
}

export interface SessionDecision<Result> {
	/** The change; absent: nothing is written. */
	readonly change?: SessionChange | undefined;
	/** The information for the caller about the record that was decided on. */
	readonly result: Result;
}

export class DoesNotFitError extends Error {
	override readonly name = "DoesNotFitError";
}

/** The columns that decide who may see a session. */
const audienceColumns = ["tenant", "owner", "status"] as const;

const bookedColumns = ["booked", "status"] as const;

/** The sessions in the store, with the queue of changes of this process. */
export class SessionRecords {
	readonly #store: NotingStore;
	readonly #written: () => void;
	readonly #chats: ChatAddresses;
	readonly #changed: SessionRecordsOptions["changed"];
	readonly #lists: ResourcesIn<typeof sessionCollection>;
	readonly #changes = new ChangeQueue();

	/** @param written Called after every write that has an event. */
	constructor(
		store: NotingStore,
		written: () => void,
		{ chats = new ChatAddresses(), changed }: SessionRecordsOptions = {},
	) {
		this.#store = store;
		this.#written = written;
		this.#chats = chats;
		this.#changed = changed;
		this.#lists = new ResourceRecords(store, { collection: sessionCollection, noun: "Session" });
	}

	/**
	 * Returns a session. @param action `report-usage` when the pods of earlier launches may ask too; others are refused.
	 * @throws {NotFoundError} for an unknown session and for one that the principal may not see; {ConflictError}.
	 */
	async get(principal: Principal, id: string, action: "see" | "report-usage" = "see"): Promise<SessionRecord> {
		const record = recordOf(this.#shown(await this.#known(principal, id)));
		if (action === "see") refuseStale(principal, record.session.generation);
		return record;
	}

	/** Returns the session as the stored JSON text. @throws {NotFoundError} likewise. */
	async text(principal: Principal, id: string): Promise<string> {
		return this.#chats.shown(await this.#known(principal, id, audienceColumns));
	}

	async #known(principal: Principal, id: string, columns?: typeof audienceColumns): Promise<SessionDocument> {
		const document = await this.#store.get(sessionCollection, id, columns);
		if (!document || !mayKnow(principal, document))
			throw new NotFoundError(`Session "${id}" does not exist`, "SESSION_NOT_FOUND");
		if (isForeign(principal, document)) await this.#store.noteRead?.(`sessions/${id}`);
		return document;
	}

	/** Returns the two ways to read a page, newest first. */
	pages(principal: Principal, { limit, cursor, ...filter }: SessionFilter) {
		const scope = scopeOf(principal, filter);
		const { page, versions } = this.#lists.pages(scope, { limit, cursor }, ["rev", "status"], this.#chats.bytes);
		const shown = async () => {
			const found = await page();
			return { ...found, documents: found.documents.map((document) => this.#shown(document)) };
		};
		return { page: shown, versions };
	}

	/** Returns the number of the newest row of the ledger that a session has booked; undefined when it is deleted or unknown. */
	async booked(id: string): Promise<number | undefined> {
		const document = await this.#store.get(sessionCollection, id, bookedColumns);
		return document && document.status !== "deleted" ? (document.booked ?? 0) : undefined;
	}

	async exists(id: string): Promise<boolean> {
		return (await this.#store.get(sessionCollection, id, [])) !== undefined;
	}

	/** Inserts a session. @throws {DuplicateKeyError} when the id is taken. */
	async insert(document: SessionDocument): Promise<void> {
		const creation = { event: "session_created", at: Date.parse(document.created_at ?? "") } as const;
		const created = eventOf(document, creation, document.wire, countersChange(undefined, document.status));
		await this.#store.insert(sessionCollection, document, [created]);
		failpoint("sessions.written");
		this.#written();
	}

	/**
	 * Changes a session by compare-and-set, after the changes that are under way. `decide` sees the newest record and
	 * is called again after every race lost to another process. Returns the session after the change, or its present
	 * state when `decide` wants none.
	 * @throws whatever `decide` throws; {NotFoundError}; {DoesNotFitError}; {TooManyRequestsError}.
	 */
	async change(
		principal: Principal,
		id: string,
		decide: (record: SessionRecord) => SessionChange | undefined,
		{ guard = {}, deadline }: ChangeOptions = {},
	): Promise<SessionRecord> {
		const asResult = (record: SessionRecord) => ({ change: decide(record), result: undefined });
		return (await this.decide(principal, id, asResult, { guard, deadline })).record;
	}

	/**
	 * Changes a session like `change`, for a caller that needs more of a decision than its change: resolves to the
	 * session and the result of the last decision, which is the valid one.
	 * @throws as `change` does.
	 */
	async decide<Result>(
		principal: Principal,
		id: string,
		decide: (record: SessionRecord) => SessionDecision<Result>,
		{ guard = {}, deadline }: ChangeOptions = {},
	): Promise<{ record: SessionRecord; result: Result }> {
		// Principals who may not see the session must not wait for it.
		if (this.#changes.isBusy(id)) await this.text(principal, id);
		return this.#changes.run(id, { principal, deadline }, async () => {
			const record = await this.get(principal, id);
			const { change, result } = decide(record);
			if (!change) return { record, result };
			const changed = await this.#write(record, change, guard);
			if (changed) return { record: changed, result };
			if (change.fits && (await this.get(principal, id)).session.rev === record.session.rev)
				throw new DoesNotFitError();
			return undefined;
		});
	}

	/**
	 * Changes columns that clients do not see, in the same queue; `decide` is called as by `change`.
	 * @throws as `change` does.
	 */
	async annotate<Result>(
		principal: Principal,
		id: string,
		decide: (record: SessionRecord) => { readonly columns?: ColumnChange | undefined; readonly result: Result },
		{ deadline }: Pick<ChangeOptions, "deadline"> = {},
	): Promise<Result> {
		const decided = await this.#changes.run(id, { principal, deadline }, async () => {
			const record = await this.get(principal, id);
			const { columns, result } = decide(record);
			const guard = { equals: { rev: record.session.rev } };
			const isDone = !columns || (await this.#store.update(sessionCollection, id, guard, columns)) !== undefined;
			return isDone ? { result } : undefined;
		});
		return decided.result;
	}

	async #write(
		record: SessionRecord,
		change: SessionChange,
		guard: Record<string, unknown>,
	): Promise<SessionRecord | undefined> {
		const { session, document } = record;
		const rev = session.rev + 1;
		const merged: Session = { ...session, ...change.members, rev, updated_at: isoTime(change.at) };
		const changed = { ...merged, chat_endpoint: chatPath(merged) };
		const { session: stored, columns } = withBudgetRules(changed, record, change);
		const counters = countersChange(document.status, columns.set?.status ?? document.status);
		const wire = JSON.stringify(stored);
		const shown = this.#chats.shown({ id: document.id, status: stored.status, wire });
		const data = change.payload === undefined ? shown : JSON.stringify(change.payload);
		const written = await this.#store.update(
			sessionCollection,
			document.id,
			{ equals: { rev: session.rev, ...guard }, ...(change.fits && { fits: change.fits }) },
			{ ...columns, wire, set: { ...columns.set, name: stored.name, rev } },
			[eventOf({ ...document, rev }, change, data, counters)],
		);
		if (!written) return undefined;
		failpoint("sessions.written");
		this.#written();
		this.#changed?.(session.status, stored);
		return recordOf({ ...written, wire: shown });
	}

	#shown(document: SessionDocument): SessionDocument {
		return { ...document, wire: this.#chats.shown(document) };
	}
}

type Revision = Pick<SessionDocument, "rev" | "tenant" | "owner">;

/** Makes an event, whose number is the revision. @param data The JSON text of the payload. */
function eventOf(
	{ rev = 0, tenant = "", owner = "" }: Revision,
	{ event = "session_updated", at }: Pick<SessionChange, "event" | "at">,
	data: string,
	counters: SessionCounters | undefined,
): OutboxEntry {
	return { n: rev, type: event, data, audience: { tenant, owner }, at, ...(counters && { counters }) };
}

function scopeOf(principal: Principal, { by, name }: Pick<SessionFilter, "by" | "name">) {
	const everybody = seesWholeTenant(principal);
	const audience = everybody ? [principal.tenant] : [principal.tenant, principal.id];
	const [kind, value] = "status" in by ? (["status", by.status] as const) : (["shelf", by.shelf] as const);
	const index = `${everybody ? "tenant" : "owner"}_${kind}` as const;
	if (name === undefined) return { index, equals: [...audience, value] };
	return { index: `${index}_name` as const, equals: [...audience, value, name] };
}

function mayKnow(principal: Principal, { id, status, tenant, owner }: SessionDocument): boolean {
	return mayUseSession(principal, status === "deleted" ? "see-deleted" : "see", { session: id, tenant, owner });
}

/** Whether an administrator looks at somebody else's session. */
function isForeign(principal: Principal, { id, tenant, owner }: SessionDocument): boolean {
	return relationTo(principal, { session: id, tenant, owner }) === "administrator";
}
