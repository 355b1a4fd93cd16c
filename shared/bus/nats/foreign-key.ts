/**
 * Notices packets that this process cannot open. When it is known after a while that no process with the store has answered this
 * one, it has another installation key than they.
 */
import { after } from "#shared/base/clock.ts";

/** The time in which a process with the store would have answered, in milliseconds: one interval of announcements and a margin. */
const graceMs = 15_000;

/** The watch of one process, which looks once. */
export class ForeignKeyWatch {
	readonly #look: () => void;
	readonly #graceMs: number;
	#hasBegun = false;

	/** @param look Called once, `ms` after the first packet with another key. */
	constructor(look: () => void, ms = graceMs) {
		this.#look = look;
		this.#graceMs = ms;
	}

	/** A packet was refused because of its key. */
	refused(): void {
		if (this.#hasBegun) return;
		this.#hasBegun = true;
		after(this.#graceMs, this.#look);
	}
}
