/**
 * Creates sessions with new ids. An `Idempotency-Key` creates one session: its id is stored before the session is, so
 * that a repeated command finishes what a crash interrupted (decision 0018).
 */
import { randomUUID } from "node:crypto";
import { now } from "#shared/base/clock.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import { insertOnce } from "#shared/store/insert-once.ts";
import { fingerprintOf } from "#shared/base/ids/request-fingerprint.ts";
import { type IdempotencyRecords, ownerOf } from "./idempotency-records.ts";
import { nameBasedUuid } from "#shared/base/ids/name-based-uuid.ts";
import type { SessionDocument } from "../record/session-collection.ts";
import type { Commander } from "./commander.ts";
import type { SessionRecords } from "../record/session-records.ts";
import type { SessionWorkspaces } from "../workspaces/session-workspaces.ts";

interface Creation {
	/** The action; keys of different actions are independent. */
	readonly action: "create" | "reforge";
	/** The parameters, which a repeated command must have too. */
	readonly params: unknown;
	/** Makes the document. @param at The time of the first request in milliseconds since 1970. */
	readonly make: (id: string, at: number) => SessionDocument;
	/** Runs the insertion of the session, or refuses it; default: it always runs. */
	readonly admit?: <T>(insert: () => Promise<T>) => Promise<T>;
}

interface Created {
	readonly id: string;
	/** The session as it was created, as JSON text. */
	readonly wire: string;
}

export class SessionCreations {
	readonly #records: SessionRecords;
	readonly #idempotency: IdempotencyRecords;
	readonly #workspaces: SessionWorkspaces;

	constructor(records: SessionRecords, idempotency: IdempotencyRecords, workspaces: SessionWorkspaces) {
		this.#records = records;
		this.#idempotency = idempotency;
		this.#workspaces = workspaces;
	}

	/**
	 * Creates the session, or returns the one that the key has created. @throws {UnprocessableError} when the key was
	 * used for another request; {ConflictError} when another session has its workspace, or the quota is used up.
	 */
	async create({ principal, key }: Commander, creation: Creation): Promise<Created> {
		const { action, params, make, admit = (insert) => insert() } = creation;
		const at = now();
		// It is random from its first digit on, because clients show people the beginning of ids only.
		const fresh = make(randomUUID(), at);
		if (key === undefined) {
			await admit(() => this.#add(fresh));
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
		// Inserts the session unless a concurrent or earlier run of the same command has inserted it.
		if (!(await this.#records.exists(session))) await admit(() => insertOnce(() => this.#add(document)));
		failpoint("sessions.creation-written");
		return { id: session, wire: await this.#idempotency.complete(id, document.wire) };
	}

	/** Stores a session that has its workspace. One transaction takes both where nothing can refuse the workspace. */
	async #add(document: SessionDocument): Promise<void> {
		const reserved = this.#workspaces.reserve(document);
		if (!this.#workspaces.isJoined(document)) await reserved;
		await Promise.all([reserved, this.#records.insert(document)]);
	}
}
