/**
 * Remembers the first answers to commands with an `Idempotency-Key` that cannot be stored in one session: commands on
 * several sessions, messages, and creations, whose answers outlive the session. A record is no kind of ResourceRecords,
 * because it has no revision: it expires, and its time guards it.
 */
import { bound } from "#shared/base/bounds.ts";
import type { Owner } from "#shared/base/principal.ts";
import { refuseOtherRequest } from "#shared/base/ids/request-fingerprint.ts";
import { now } from "#shared/base/clock.ts";
import { UnprocessableError } from "#shared/base/errors.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import { insertOnce } from "#shared/store/insert-once.ts";
import { rememberedMs } from "./command-answers.ts";
import { idempotencyRecordCollection, type IdempotencyRecordDocument } from "./idempotency-record-collection.ts";

/** The most bytes of an answer; a session with the longest names and addresses has a third of it. */
const maxAnswerBytes = 32 * 1024;

interface NewIdempotencyRecord {
	readonly id: string;
	readonly owner: string;
	readonly fingerprint: string;
	/** The answer or the plan as JSON text. */
	readonly wire: string;
	readonly session?: string;
	/** Whether the command is done; absent: yes. */
	readonly completed?: boolean;
	/** The time of the command in milliseconds since 1970; default now. */
	readonly at?: number;
}

export class IdempotencyRecords {
	readonly #store: Documents;

	constructor(store: Documents) {
		this.#store = store;
	}

	/**
	 * Returns a record; undefined when there is none. @throws {UnprocessableError} when the key was used for another
	 * request.
	 */
	async find(id: string, fingerprint: string): Promise<IdempotencyRecordDocument | undefined> {
		const document = await this.#store.get(idempotencyRecordCollection, id);
		if (!document) return undefined;
		if (isOld(document)) {
			await this.#remove(document);
			return undefined;
		}
		refuseOtherRequest(document.fingerprint, fingerprint);
		return document;
	}

	/**
	 * Stores an answer unless one is stored already; resolves to the stored one.
	 * @throws as `find` does; {UnprocessableError} when the answer is too long to be stored.
	 */
	async add(answer: NewIdempotencyRecord): Promise<IdempotencyRecordDocument> {
		if (Buffer.byteLength(answer.wire) > maxAnswerBytes)
			throw new UnprocessableError(
				"The answer is too long to be stored: repeat the request without a key",
				"ANSWER_TOO_LONG",
			);
		return (await this.#insert(answer)) ?? (await this.find(answer.id, answer.fingerprint)) ?? this.add(answer);
	}

	/** Replaces a plan by its answer, once; resolves to the stored answer. */
	async complete(id: string, wire: string): Promise<string> {
		const change = { wire, set: { completed: 1 } };
		if (await this.#store.update(idempotencyRecordCollection, id, { equals: { completed: 0 } }, change)) return wire;
		return (await this.#store.get(idempotencyRecordCollection, id))?.wire ?? wire;
	}

	/**
	 * Stores that a command was requested, without an answer; resolves to whether that was stored before.
	 * @throws {UnprocessableError} when the key was used for another request.
	 */
	async note(record: Pick<NewIdempotencyRecord, "id" | "owner" | "fingerprint">): Promise<boolean> {
		if (await this.find(record.id, record.fingerprint)) return true;
		return (await this.#insert({ ...record, wire: "null" })) ? false : this.note(record);
	}

	/** Removes what `note` has stored. */
	async forget({ id, fingerprint }: Pick<NewIdempotencyRecord, "id" | "fingerprint">): Promise<void> {
		await this.#store.remove(idempotencyRecordCollection, id, { equals: { fingerprint } });
	}

	/**
	 * Reserves the id of a message for its text, without an answer.
	 * @throws {UnprocessableError} when the id belongs to another text.
	 */
	async reserveMessage(id: string, owner: string, fingerprint: string): Promise<void> {
		await this.add({ id, owner, fingerprint, wire: "null" });
	}

	/**
	 * Completes the command that created a session, even when a crash had interrupted it. Called before the session is
	 * removed.
	 */
	async completeCreationOf(session: string): Promise<void> {
		const { documents } = await this.#store.find(
			idempotencyRecordCollection,
			"session",
			{ equals: [session] },
			{ limit: 1 },
		);
		for (const { id } of documents)
			await this.#store.update(idempotencyRecordCollection, id, { equals: { session } }, { set: { completed: 1 } });
	}

	/** Resolves to the record; undefined when there is one with this id. */
	async #insert({ completed = true, at = now(), ...rest }: NewIdempotencyRecord) {
		await this.#makeRoom(rest.owner);
		const document = { ...rest, at, completed: Number(completed) };
		const isFirst = await insertOnce(() => this.#store.insert(idempotencyRecordCollection, document));
		return isFirst ? document : undefined;
	}

	async #makeRoom(owner: string): Promise<void> {
		const range = { equals: [owner] };
		if ((await this.#store.count(idempotencyRecordCollection, "owner", range)) < bound.idempotencyKeys) return;
		const oldest = await this.#store.find(idempotencyRecordCollection, "owner", range, { limit: 1, columns: ["at"] });
		for (const document of oldest.documents) await this.#remove(document);
	}

	async #remove({ id, at = 0 }: IdempotencyRecordDocument): Promise<void> {
		await this.#store.remove(idempotencyRecordCollection, id, { equals: { at } });
	}
}

export function ownerOf({ tenant, id }: Owner): string {
	return JSON.stringify([tenant, id]);
}

function isOld({ at = 0 }: { readonly at?: number }): boolean {
	return at <= now() - rememberedMs;
}
