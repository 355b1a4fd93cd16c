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
	#hasBegun = false;

	/** @param look Called once, some time after the first packet with another key. */
	constructor(look: () => void) {
		this.#look = look;
	}

	/** A packet was refused because of its key. */
	refused(): void {
		if (this.#hasBegun) return;
		this.#hasBegun = true;
		after(graceMs, this.#look);
	}
}
