/** Time limits that are rarely reached, such as the timeouts of calls. */
import { after, monotonic, type Timer } from "../clock.ts";

interface Limit extends Timer {
	/** The end of the limit on the monotonic clock, in milliseconds. */
	readonly end: number;
	readonly reached: () => void;
}

/**
 * Limits of the same length share a timer, which is set for the one that ends first, because setting and clearing a
 * timer for each limit costs more than a small call. The timers do not keep the process alive.
 */
export class TimeLimits {
	/** Limits by their length in milliseconds, in the order of their ends. */
	readonly #byLength = new Map<number, Set<Limit>>();

	/** Calls `reached` once after `ms`, rounded up to whole milliseconds, unless the limit is cancelled first. */
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
			const remaining = limit.end - monotonic();
			if (remaining > 0) {
				after(Math.ceil(remaining), () => this.#look(ms, line));
				return;
			}
			line.delete(limit);
			limit.reached();
		}
		this.#byLength.delete(ms);
	}
}
