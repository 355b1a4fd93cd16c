/**
 * First answers to commands that carried an `Idempotency-Key` and that no session can keep: those about several sessions,
 * those of messages, and creations, whose answer outlives its session.
 */
import type { Principal } from "#shared/bus/principal.ts";
import { now } from "#shared/clock.ts";
import { UnprocessableError } from "#shared/errors.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { insertOnce } from "#shared/store/insert-once.ts";
import { rememberedMs, refuseOtherRequest } from "./command-answers.ts";
import { idempotencyRecordCollection, type IdempotencyRecordDocument } from "./idempotency-record-collection.ts";

/** Per person; the oldest go first. */
const maxPerOwner = 1_000;
/** Bytes of one; a session with the longest of names and addresses has a third of it. */
const maxAnswerBytes = 32 * 1024;

export interface NewIdempotencyRecord {
	readonly id: string;
	readonly owner: string;
	readonly fingerprint: string;
	/** JSON text. */
	readonly wire: string;
	/** The session that the command makes. */
	readonly session?: string;
	/** Absent: the command is done. */
	readonly completed?: boolean;
	/** Default now. */
	readonly at?: number;
}

export class IdempotencyRecords {
	readonly #store: DocumentStore;

	constructor(store: DocumentStore) {
		this.#store = store;
	}

	/** @throws {UnprocessableError} when the key was used for another request. */
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
	 * Keeps an answer unless there is one; resolves to the one that is kept.
	 * @throws as `find` does; {UnprocessableError} for one that is too long to be kept.
	 */
	async add(answer: NewIdempotencyRecord): Promise<IdempotencyRecordDocument> {
		const { completed = true, at = now(), ...rest } = answer;
		if (Buffer.byteLength(rest.wire) > maxAnswerBytes)
			throw new UnprocessableError("The answer is too long to be given again: ask without a key", "ANSWER_TOO_LONG");
		await this.#makeRoom(rest.owner);
		const document = { ...rest, at, completed: Number(completed) };
		const isFirst = await insertOnce(() => this.#store.insert(idempotencyRecordCollection, document));
		if (isFirst) return document;
		return (await this.find(answer.id, answer.fingerprint)) ?? this.add(answer);
	}

	/** Replaces a plan by its answer, once. Resolves to the answer that counts. */
	async complete(id: string, wire: string): Promise<string> {
		const change = { wire, set: { completed: 1 } };
		if (await this.#store.update(idempotencyRecordCollection, id, { equals: { completed: 0 } }, change)) return wire;
		return (await this.#store.get(idempotencyRecordCollection, id))?.wire ?? wire;
	}

	/**
	 * Reserves the id of a message for its text, without an answer.
	 * @throws {UnprocessableError} when the id belongs to another text.
	 */
	async reserveMessage(id: string, owner: string, fingerprint: string): Promise<void> {
		await this.add({ id, owner, fingerprint, wire: "null" });
	}

	/** Called before a session goes: the command that made it is complete, also where a crash left it open. */
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

	async #makeRoom(owner: string): Promise<void> {
		const range = { equals: [owner] };
		if ((await this.#store.count(idempotencyRecordCollection, "owner", range)) < maxPerOwner) return;
		const oldest = await this.#store.find(idempotencyRecordCollection, "owner", range, { limit: 1, columns: ["at"] });
		for (const document of oldest.documents) await this.#remove(document);
	}

	async #remove({ id, at = 0 }: IdempotencyRecordDocument): Promise<void> {
		await this.#store.remove(idempotencyRecordCollection, id, { equals: { at } });
	}
}

export function ownerOf({ tenant, id }: Pick<Principal, "tenant" | "id">): string {
	return JSON.stringify([tenant, id]);
}

function isOld({ at = 0 }: { readonly at?: number }): boolean {
	return at <= now() - rememberedMs;
}
