/** The repository of sessions. Every method takes the principal first: what is not theirs does not exist for them. */
import type { Principal } from "#shared/bus/principal.ts";
import { isoTime } from "#shared/clock.ts";
import type { Session } from "#shared/contracts/session-resource.ts";
import { NotFoundError } from "#shared/errors.ts";
import { failpoint } from "#shared/failpoints.ts";
import { answerBytes } from "#shared/pod/answer-size.ts";
import { mayUseSession, seesWholeTenant } from "#shared/session-access.ts";
import type { DocumentStore, Found, Guard, OutboxEntry, Range } from "#shared/store/document-store.ts";
import { withBudgetRules } from "./session-budget.ts";
import { countersChange, type SessionCounters } from "./counters-change.ts";
import { ChangeQueue } from "./change-queue.ts";
import type { ChatEndpoint } from "./chat-endpoint.ts";
import { sessionCollection, type SessionDocument } from "./session-collection.ts";
import { type ColumnChange, recordOf, type SessionChange, type SessionRecord } from "./session-change.ts";
import type { StoredStatus } from "./session-lifecycle.ts";

export interface SessionFilter {
	/** A status, or the sessions of one shelf. */
	readonly by: { status: StoredStatus } | { shelf: "active" | "archived" };
	readonly limit: number;
	readonly cursor?: string | undefined;
}

export interface ChangeOptions {
	/** What must hold of the document beside its revision. */
	readonly guard?: Guard<(typeof sessionCollection)["columns"]>["equals"];
	/** Milliseconds since 1970 after which nobody waits for the answer. */
	readonly deadline?: number | undefined;
}

/** What a look at the newest record has decided. */
export interface SessionDecision<Result> {
	/** Absent: nothing is written. */
	readonly change?: SessionChange | undefined;
	/** What the caller wants to know of the record that was decided on. */
	readonly result: Result;
}

/** A change would pass a limit. */
export class DoesNotFitError extends Error {
	override readonly name = "DoesNotFitError";
}

type SessionColumns = (typeof sessionCollection)["columns"];

/** Who may know of a session. */
const audienceColumns = ["tenant", "owner", "status"] as const;

/** What a list is made with. */
const listColumns = ["rev", "created_at"] as const;

export class SessionRecords {
	readonly #store: DocumentStore;
	readonly #written: () => void;
	readonly #chatEndpoint: ChatEndpoint;
	readonly #changes = new ChangeQueue();

	/** @param written Called after every write that has an event. */
	constructor(store: DocumentStore, written: () => void, chatEndpoint: ChatEndpoint = () => null) {
		this.#store = store;
		this.#written = written;
		this.#chatEndpoint = chatEndpoint;
	}

	/** @throws {NotFoundError} for an unknown session and for one of somebody else. */
	async get(principal: Principal, id: string): Promise<SessionRecord> {
		const document = await this.#store.get(sessionCollection, id);
		if (!document || !mayKnow(principal, document)) throw sessionNotFound(id);
		return recordOf(document);
	}

	/** The session as JSON text, which is how it is kept. @throws {NotFoundError} likewise. */
	async text(principal: Principal, id: string): Promise<string> {
		const document = await this.#store.get(sessionCollection, id, audienceColumns);
		if (!document || !mayKnow(principal, document)) throw sessionNotFound(id);
		return document.wire;
	}

	/** Newest first, ending by bytes where the limit is too much; of the columns only those a list is made with. */
	async page(principal: Principal, { by, limit, cursor }: SessionFilter): Promise<Found<SessionColumns>> {
		const { index, range } = scopeOf(principal, by);
		return this.#store.find(sessionCollection, index, range, {
			limit,
			maxBytes: answerBytes,
			descending: true,
			columns: listColumns,
			...(cursor !== undefined && { after: cursor }),
		});
	}

	/** What the same page would hold, and the first session after it, as lines of id and revision. */
	async versions(principal: Principal, { by, limit, cursor }: SessionFilter): Promise<string> {
		const { index, range } = scopeOf(principal, by);
		return this.#store.versions(sessionCollection, index, range, {
			limit: limit + 1,
			descending: true,
			column: "rev",
			...(cursor !== undefined && { after: cursor }),
		});
	}

	async count(principal: Principal, by: SessionFilter["by"]): Promise<number> {
		const { index, range } = scopeOf(principal, by);
		return this.#store.count(sessionCollection, index, range);
	}

	/** @throws {DuplicateKeyError} when the id is taken. */
	async insert(document: SessionDocument): Promise<void> {
		const creation = { event: "session_created", at: Date.parse(document.created_at ?? "") } as const;
		const created = eventOf(document, creation, document.wire, countersChange(undefined, document.status));
		await this.#store.insert(sessionCollection, document, [created]);
		failpoint("sessions.written");
		this.#written();
	}

	/**
	 * Changes a session by compare-and-set, after the changes of it that are under way: `decide` sees the newest record and
	 * is asked again after every race lost to another process. Returns the session after the change, or as it is when
	 * `decide` wants none.
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
	 * The same for a caller that wants to know more of a decision than what it has changed: resolves to the session and to
	 * the result of the decision that counts, which is the last one.
	 * @throws as `change` does.
	 */
	async decide<Result>(
		principal: Principal,
		id: string,
		decide: (record: SessionRecord) => SessionDecision<Result>,
		{ guard = {}, deadline }: ChangeOptions = {},
	): Promise<{ record: SessionRecord; result: Result }> {
		// Whoever may not know of it does not wait for it.
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
	 * Changes what clients do not see, in line with the changes; `decide` is asked as for those. Resolves to the result of
	 * the decision that counts.
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
		const changed = { ...merged, chat_endpoint: this.#chatEndpoint(merged) };
		const { session: after, columns } = withBudgetRules(changed, record, change);
		const counters = countersChange(document.status, columns.set?.status ?? document.status);
		const wire = JSON.stringify(after);
		const data = change.payload === undefined ? wire : JSON.stringify(change.payload);
		const written = await this.#store.update(
			sessionCollection,
			document.id,
			{ equals: { rev: session.rev, ...guard }, ...(change.fits && { fits: change.fits }) },
			{ ...columns, wire, set: { ...columns.set, rev } },
			[eventOf({ ...document, rev }, change, data, counters)],
		);
		if (!written) return undefined;
		failpoint("sessions.written");
		this.#written();
		return recordOf(written);
	}
}

type Revision = Pick<SessionDocument, "rev" | "tenant" | "owner">;

/** Revisions number the events of a session. @param data JSON text of the payload. */
function eventOf(
	{ rev = 0, tenant = "", owner = "" }: Revision,
	{ event, at }: Pick<SessionChange, "event" | "at">,
	data: string,
	counters: SessionCounters | undefined,
): OutboxEntry {
	return { n: rev, type: event, data, audience: { tenant, owner }, at, ...(counters && { counters }) };
}

/** The index and range in which a principal's sessions stand. */
function scopeOf(principal: Principal, by: SessionFilter["by"]) {
	const value = "status" in by ? by.status : by.shelf;
	const everybody = seesWholeTenant(principal);
	const range: Range = { equals: everybody ? [principal.tenant, value] : [principal.tenant, principal.id, value] };
	if ("status" in by) return { index: everybody ? "tenant_status" : "owner_status", range } as const;
	return { index: everybody ? "tenant_shelf" : "owner_shelf", range } as const;
}

function mayKnow(principal: Principal, { id, status, tenant, owner }: SessionDocument): boolean {
	return mayUseSession(principal, status === "deleted" ? "see-deleted" : "see", { session: id, tenant, owner });
}

function sessionNotFound(id: string): NotFoundError {
	return new NotFoundError(`Session "${id}" does not exist`, "SESSION_NOT_FOUND");
}
