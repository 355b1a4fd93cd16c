/** A clock that goes as fast as the code does: time passes when nothing is left to do before the next timer. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Timer } from "#shared/base/clock.ts";
import type { WatchClock } from "#shared/kubernetes/watch/watch-times.ts";

interface Due {
	readonly at: number;
	readonly run: () => void;
}

export class VirtualClock implements WatchClock {
	readonly random: () => number;
	#now = 0;
	#timers: Due[] = [];

	constructor(random: () => number) {
		this.random = random;
	}

	monotonic(): number {
		return this.#now;
	}

	after(ms: number, run: () => void): Timer {
		const timer = { at: this.#now + Math.max(0, ms), run };
		const later = this.#timers.findIndex(({ at }) => at > timer.at);
		this.#timers.splice(later < 0 ? this.#timers.length : later, 0, timer);
		return { cancel: () => (this.#timers = this.#timers.filter((other) => other !== timer)) };
	}

	async sleep(ms: number, signal: AbortSignal): Promise<void> {
		const { promise, resolve } = Promise.withResolvers<void>();
		const timer = this.after(ms, resolve);
		signal.addEventListener("abort", () => resolve(), { once: true });
		await promise;
		timer.cancel();
	}

	/** Lets so much time pass, or less when the condition holds earlier. Only timers and promises of this process may be waited for. */
	async pass(ms: number, until: () => boolean = () => false): Promise<void> {
		const end = this.#now + ms;
		for (;;) {
			await nextTurn();
			if (until()) return;
			const [next] = this.#timers;
			if (!next || next.at > end) break;
			this.#timers.shift();
			this.#now = Math.max(this.#now, next.at);
			next.run();
		}
		this.#now = end;
	}
}

/** Returns a generator of numbers from 0 to 1 that a seed determines (mulberry32). */
export function seededRandom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
	};
}
