/**
 * The repository of chronicles. Every method with an answer for a caller takes the principal first: chronicles that the
 * principal may not see do not exist for it.
 */
import type { NotingStore } from "#shared/store/audit/audited-store.ts";
import type { Principal } from "#shared/base/principal.ts";
import { isoTime, now } from "#shared/base/clock.ts";
import type { Chronicle } from "#shared/contracts/sessions/chronicles.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { answerBytes } from "#shared/base/answer-size.ts";
import { mayUseSession, relationTo, seesWholeTenant } from "#shared/contracts/access/access-table.ts";
import type { Row } from "#shared/store/collection.ts";
import { ResourceRecords, type ResourcesIn } from "#shared/store/resource-records.ts";
import { type Requester, ChangeQueue } from "../record/change-queue.ts";
import { chronicleCollection, type ChronicleDocument } from "./chronicle-collections.ts";

type ChronicleColumns = (typeof chronicleCollection)["columns"];

export interface ChronicleChange {
	readonly members: Partial<Chronicle>;
	readonly set?: Row<ChronicleColumns>;
	readonly unset?: readonly (keyof ChronicleColumns)[];
	/** The type of its event; default `chronicle_updated`. */
	readonly event?: "chronicle_updated" | "chronicle_deleted";
}

/** The chronicles in the store, with the queue of changes of this process. */
export class ChronicleRecords {
	readonly #store: NotingStore;
	readonly #records: ResourcesIn<typeof chronicleCollection, Principal>;
	/** The changes by session; a chronicle without a session has a queue of its own. */
	readonly #changes = new ChangeQueue();

	/** @param written Called after every write that has an event. */
	constructor(store: NotingStore, written: () => void) {
		this.#store = store;
		this.#records = new ResourceRecords(store, {
			collection: chronicleCollection,
			noun: "Chronicle",
			isAllowed: (principal: Principal, _action, chronicle) => mayKnow(principal, chronicle),
			isNoted: isForeign,
			written: () => {
				failpoint("chronicles.written");
				written();
			},
		});
	}

	/** @throws {NotFoundError} for an unknown chronicle and for one that the principal may not see. */
	get(principal: Principal, id: string): Promise<ChronicleDocument> {
		return this.#records.get(principal, id);
	}

	/** Returns a chronicle; undefined where `get` throws. */
	find(principal: Principal, id: string): Promise<ChronicleDocument | undefined> {
		return this.#records.find(principal, id);
	}

	/** Returns the newest chronicle of a session, for callers that may see the session. */
	newest(session: string): Promise<ChronicleDocument | undefined> {
		return this.#records.first({ index: "by_session", equals: [session] });
	}

	/** Returns a page, newest first. @throws {RangeError} for an invalid cursor. */
	async page(principal: Principal, limit: number, after?: string) {
		const page = { limit, maxBytes: answerBytes, descending: true, ...(after !== undefined && { after }) };
		const { tenant, id } = principal;
		if (!seesWholeTenant(principal))
			return this.#store.find(chronicleCollection, "by_owner", { equals: [tenant, id] }, page);
		const found = await this.#store.find(chronicleCollection, "by_tenant", { equals: [tenant] }, page);
		// A page has the summaries of the work of others: it is one entry.
		if (found.documents.some((document) => isForeign(principal, document))) await this.#store.noteRead?.("chronicles");
		return found;
	}

	/** Inserts a chronicle; false when the session has got another one meanwhile. */
	insert(document: ChronicleDocument): Promise<boolean> {
		return this.#records.insert(document, eventOf(chronicleOf(document), "chronicle_created"));
	}

	/** Changes the chronicle that was read; undefined when it has changed since. */
	replace(
		document: ChronicleDocument,
		{ members, set, unset = [], event = "chronicle_updated" }: ChronicleChange,
	): Promise<ChronicleDocument | undefined> {
		const after: Chronicle = { ...chronicleOf(document), ...members, updated_at: isoTime() };
		return this.#records.write(document, {
			wire: JSON.stringify(after),
			set: { status: after.status, ...set },
			unset,
			event: eventOf(after, event),
		});
	}

	/**
	 * Changes a chronicle; `decide` is called again after every race lost to another process, and may want no change.
	 * @throws {NotFoundError}; {TooManyRequestsError}.
	 */
	async change(
		requester: Requester,
		id: string,
		decide: (document: ChronicleDocument) => ChronicleChange | undefined,
	): Promise<ChronicleDocument> {
		const { session = id } = await this.get(requester.principal, id);
		return this.inTurn(requester, session, async () => {
			const document = await this.get(requester.principal, id);
			const change = decide(document);
			return change ? this.replace(document, change) : document;
		});
	}

	/** Runs changes of a session's chronicles in their turn; an attempt is repeated while it resolves to undefined. */
	inTurn<T>(requester: Requester, session: string, attempt: () => Promise<T | undefined>): Promise<T> {
		return this.#changes.run(session, requester, attempt);
	}

	/** Returns some of the chronicles of sessions that were reforged from this chronicle. */
	async children(id: string, limit: number): Promise<ChronicleDocument[]> {
		return (await this.#store.find(chronicleCollection, "by_parent", { equals: [id] }, { limit })).documents;
	}

	/** Returns some chronicles that were deleted at least `forMs` ago, the oldest first. */
	async deleted(forMs: number, limit: number): Promise<ChronicleDocument[]> {
		const range = { equals: [], to: now() - forMs };
		return (await this.#store.find(chronicleCollection, "tombstones", range, { limit })).documents;
	}
}

function isForeign(principal: Principal, { tenant, owner }: ChronicleDocument): boolean {
	return relationTo(principal, { tenant, owner }) === "administrator";
}

export function chronicleOf({ wire }: ChronicleDocument): Chronicle {
	return JSON.parse(wire);
}

function eventOf(
	{ id, session_id, status, updated_at }: Chronicle,
	type: "chronicle_created" | "chronicle_updated" | "chronicle_deleted",
) {
	return { type, data: JSON.stringify({ id, session_id, status }), at: Date.parse(updated_at) };
}

function mayKnow(principal: Principal, { status, session, tenant, owner }: ChronicleDocument): boolean {
	return mayUseSession(principal, status === "deleted" ? "see-deleted" : "see", { session, tenant, owner });
}
