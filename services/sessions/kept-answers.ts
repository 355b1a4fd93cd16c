/**
 * First answers to commands that carried an `Idempotency-Key` and that no living session can keep: those about several
 * sessions, those of messages, and the creation of one that is gone.
 */
import type { Principal } from "#shared/bus/principal.ts";
import { now } from "#shared/clock.ts";
import { type DocumentStore, DuplicateKeyError } from "#shared/store/document-store.ts";
import { type CommandAnswer, keptMs, refuseOtherRequest } from "./command-answers.ts";
import { keptAnswerCollection, type KeptAnswerDocument } from "./kept-answer-collection.ts";
import type { SessionDocument } from "./session-collection.ts";

/** Per person; the oldest go first. */
const maxPerOwner = 1_000;
/** Old ones removed with each new one: more than come, so that they cannot pile up. */
const maxRemoved = 20;

export interface NewAnswer {
	readonly id: string;
	readonly owner: string;
	readonly fingerprint: string;
	readonly wire: string;
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

	/** Keeps an answer unless there is one; resolves to the one that is kept. @throws as `find` does. */
	async add({ settled = true, at = now(), ...answer }: NewAnswer): Promise<KeptAnswerDocument> {
		await this.#makeRoom(answer.owner);
		const document = { ...answer, at, settled: Number(settled) };
		try {
			await this.#store.insert(keptAnswerCollection, document);
			return document;
		} catch (error) {
			if (!(error instanceof DuplicateKeyError)) throw error;
			return (await this.find(answer.id, answer.fingerprint)) ?? document;
		}
	}

	/** Replaces a plan by its answer, once; resolves to the answer that counts. */
	async settle(id: string, wire: string): Promise<string> {
		const change = { wire, set: { settled: 1 } };
		if (await this.#store.update(keptAnswerCollection, id, { equals: { settled: 0 } }, change)) return wire;
		return (await this.#store.get(keptAnswerCollection, id))?.wire ?? wire;
	}

	/** Keeps how a session was created, before its document goes. */
	async outlive({ id, tenant = "", owner = "", answers }: SessionDocument): Promise<void> {
		const created = (answers as CommandAnswer[] | undefined)?.find(({ key }) => key.startsWith("create:"));
		if (!created || isOld(created)) return;
		const { fingerprint, at, answer } = created;
		await this.add({ id, owner: ownerOf({ tenant, id: owner }), fingerprint, at, wire: JSON.stringify(answer) });
	}

	async #makeRoom(owner: string): Promise<void> {
		const old = { equals: [], to: now() - keptMs };
		const { documents } = await this.#store.find(keptAnswerCollection, "at", old, { limit: maxRemoved });
		for (const document of documents) await this.#remove(document);
		const range = { equals: [owner] };
		if ((await this.#store.count(keptAnswerCollection, "owner", range)) < maxPerOwner) return;
		const oldest = await this.#store.find(keptAnswerCollection, "owner", range, { limit: 1 });
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
