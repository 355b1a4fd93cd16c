/**
 * Limits how many sessions of one owner a pod manager works on at a time, so that the sessions of one person, such as a
 * crowd of deleted ones, leave places to those of others.
 */
import { Tally } from "#shared/base/concurrency/tally.ts";
import { ownerOf } from "../record/launch-places.ts";
import type { SessionDocument } from "../record/session-collection.ts";

/** The sessions of each owner that one pod manager works on, or shall work on. */
export class PassShares {
	readonly #ofOne: number;
	readonly #taken = new Tally();

	/** @param underWay Those that it works on already, by the key of their owner. */
	constructor(ofOne = Number.POSITIVE_INFINITY, underWay: Readonly<Record<string, number>> = {}) {
		this.#ofOne = ofOne;
		for (const [owner, count] of Object.entries(underWay)) this.#taken.add(owner, count);
	}

	/** Whether the pod manager may work on the session too; it then counts. */
	admits(document: SessionDocument): boolean {
		const owner = ownerOf(document);
		if (this.#taken.of(owner) >= this.#ofOne) return false;
		this.#taken.add(owner);
		return true;
	}
}
