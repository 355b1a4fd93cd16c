/**
 * First answers to commands that carried an `Idempotency-Key` and that no session can keep: those about several sessions,
 * those of messages, and creations, whose answer outlives its session.
 */
import type { Principal } from "#shared/bus/principal.ts";
import { now } from "#shared/clock.ts";
import { UnprocessableError } from "#shared/errors.ts";
import { type DocumentStore, DuplicateKeyError } from "#shared/store/document-store.ts";
import { keptMs, refuseOtherRequest } from "./command-answers.ts";
import { keptAnswerCollection, type KeptAnswerDocument } from "./idempotency-record-collection.ts";

/** Per person; the oldest go first. */
const maxPerOwner = 1_000;
/** Bytes of one; a session with the longest of names and addresses has a third of it. */
const maxAnswerBytes = 32 * 1024;

export interface NewAnswer {
	readonly id: string;
	readonly owner: string;
	readonly fingerprint: string;
	/** JSON text. */
	readonly wire: string;
	/** The session that the command makes. */
	readonly session?: string;
	/** Absent: the command is done. */
	readonly settled?: boolean;
	/** Default now. */
	readonly at?: number;
}

export class KeptAnswers {
	readonly #store: DocumentStore;

	constructor(store: DocumentStore) {
		this.#store = store;
	}

	/** @throws {UnprocessableError} when the key was used for another request. */
	async find(id: string, fingerprint: string): Promise<KeptAnswerDocument | undefined> {
		const document = await this.#store.get(keptAnswerCollection, id);
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
	async add(answer: NewAnswer): Promise<KeptAnswerDocument> {
		const { settled = true, at = now(), ...rest } = answer;
		if (Buffer.byteLength(rest.wire) > maxAnswerBytes)
			throw new UnprocessableError("The answer is too long to be given again: ask without a key", "ANSWER_TOO_LONG");
		await this.#makeRoom(rest.owner);
		const document = { ...rest, at, settled: Number(settled) };
		try {
			await this.#store.insert(keptAnswerCollection, document);
			return document;
		} catch (error) {
			if (!(error instanceof DuplicateKeyError)) throw error;
			return (await this.find(answer.id, answer.fingerprint)) ?? this.add(answer);
		}
	}

	/** Replaces a plan by its answer, once; resolves to the answer that counts. */
	async settle(id: string, wire: string): Promise<string> {
		const change = { wire, set: { settled: 1 } };
		if (await this.#store.update(keptAnswerCollection, id, { equals: { settled: 0 } }, change)) return wire;
		return (await this.#store.get(keptAnswerCollection, id))?.wire ?? wire;
	}

	/** Before a session goes: whatever was to make it is done, also where a crash has left that open. */
	async settleCreationOf(session: string): Promise<void> {
		const { documents } = await this.#store.find(keptAnswerCollection, "session", { equals: [session] }, { limit: 1 });
		for (const { id } of documents)
			await this.#store.update(keptAnswerCollection, id, { equals: { session } }, { set: { settled: 1 } });
	}

	async #makeRoom(owner: string): Promise<void> {
		const range = { equals: [owner] };
		if ((await this.#store.count(keptAnswerCollection, "owner", range)) < maxPerOwner) return;
		const oldest = await this.#store.find(keptAnswerCollection, "owner", range, { limit: 1, columns: ["at"] });
		for (const document of oldest.documents) await this.#remove(document);
	}

	async #remove({ id, at = 0 }: KeptAnswerDocument): Promise<void> {
		await this.#store.remove(keptAnswerCollection, id, { equals: { at } });
	}
}

export function ownerOf({ tenant, id }: Pick<Principal, "tenant" | "id">): string {
	return JSON.stringify([tenant, id]);
}

function isOld({ at = 0 }: { readonly at?: number }): boolean {
	return at <= now() - keptMs;
}
