/** Time limits that are hardly ever reached. */
import { after, monotonic, type Timer } from "./clock.ts";

interface Limit extends Timer {
	/** On the monotonic clock. */
	readonly end: number;
	readonly reached: () => void;
}

/**
 * Limits of one length share a timer, which is set for the one that ends first: to set and clear a timer for each costs
 * more than a small call. Like those of `after`, they do not keep the process alive.
 */
export class TimeLimits {
	/** By length in milliseconds; each in the order in which they end. */
	readonly #byLength = new Map<number, Set<Limit>>();

	/** Calls `reached` once after `ms`, in whole milliseconds, unless cancelled before. */
	begin(ms: number, reached: () => void): Timer {
		const length = Math.ceil(ms);
		const line = this.#byLength.get(length) ?? this.#newLine(length);
		const limit: Limit = { end: monotonic() + length, reached, cancel: () => line.delete(limit) };
		line.add(limit);
		return limit;
	}

	#newLine(ms: number): Set<Limit> {
		const line = new Set<Limit>();
		this.#byLength.set(ms, line);
		after(ms, () => this.#look(ms, line));
		return line;
	}

	#look(ms: number, line: Set<Limit>): void {
		for (const limit of line) {
			const left = limit.end - monotonic();
			if (left > 0) {
				after(Math.ceil(left), () => this.#look(ms, line));
				return;
			}
			line.delete(limit);
			limit.reached();
		}
		this.#byLength.delete(ms);
	}
}
