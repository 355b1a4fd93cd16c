/**
 * New sessions, each of an id of its own. An `Idempotency-Key` makes one session: which, is written down before the
 * session is, so that a repeat finishes what a crash has left (decision 0018).
 */
import { now } from "#shared/clock.ts";
import { failpoint } from "#shared/failpoints.ts";
import { insertOnce } from "#shared/store/insert-once.ts";
import { fingerprintOf } from "./command-answers.ts";
import { type IdempotencyRecords, ownerOf } from "./idempotency-records.ts";
import { nameBasedUuid } from "#shared/ids/name-based-uuid.ts";
import type { SessionDocument } from "../record/session-collection.ts";
import type { Commander } from "./commander.ts";
import type { SessionRecords } from "../record/session-records.ts";
import { timeBasedUuid } from "#shared/ids/time-based-uuid.ts";

export interface Creation {
	/** A key is one key for each of them. */
	readonly action: "create" | "reforge";
	/** What a repeat must ask for again. */
	readonly params: unknown;
	/** @param at When it was asked for first, in milliseconds since 1970. */
	readonly make: (id: string, at: number) => SessionDocument;
}

export interface Created {
	readonly id: string;
	/** The session as it was made: JSON text. */
	readonly wire: string;
}

export class SessionCreations {
	readonly #records: SessionRecords;
	readonly #idempotency: IdempotencyRecords;

	constructor(records: SessionRecords, idempotency: IdempotencyRecords) {
		this.#records = records;
		this.#idempotency = idempotency;
	}

	/** @throws {UnprocessableError} when the key was used for another request. */
	async create({ principal, key }: Commander, { action, params, make }: Creation): Promise<Created> {
		const at = now();
		const fresh = make(timeBasedUuid(at), at);
		if (key === undefined) {
			await this.#records.insert(fresh);
			return fresh;
		}
		const id = nameBasedUuid(principal.tenant, principal.id, action, key);
		const fingerprint = fingerprintOf(params);
		const plan = {
			id,
			owner: ownerOf(principal),
			fingerprint,
			wire: fresh.wire,
			session: fresh.id,
			at,
			completed: false,
		};
		const record = (await this.#idempotency.find(id, fingerprint)) ?? (await this.#idempotency.add(plan));
		failpoint("sessions.creation-planned");
		const { session = "", at: firstAt = at } = record;
		if (record.completed === 1) return { id: session, wire: record.wire };
		const document = session === fresh.id ? fresh : make(session, firstAt);
		// Of those that repeat a command at the same time, or after a crash, one is the first.
		await insertOnce(() => this.#records.insert(document));
		failpoint("sessions.creation-written");
		return { id: session, wire: await this.#idempotency.complete(id, document.wire) };
	}
}
