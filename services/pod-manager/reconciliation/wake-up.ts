/** Wakes one waiting loop, at once or at a chosen time. Signals that arrive while nobody waits are remembered as one. */
import { after, monotonic, type Timer } from "#shared/base/clock.ts";

/** An auto-reset event with a timer. Its owner cancels the timer. */
export class WakeUp {
	#signalled = Promise.withResolvers<void>();
	#timer: Timer | undefined;
	#signalsAt = Number.POSITIVE_INFINITY;

	signal(): void {
		this.cancel();
		this.#signalled.resolve();
	}

	/** Signals after `ms`, unless a signal comes first. */
	signalWithin(ms: number): void {
		const at = monotonic() + ms;
		if (at >= this.#signalsAt) return;
		this.cancel();
		this.#signalsAt = at;
		this.#timer = after(ms, () => this.signal());
	}

	cancel(): void {
		this.#timer?.cancel();
		this.#signalsAt = Number.POSITIVE_INFINITY;
	}

	/** Resolves at the next signal; at once when there was one since the last call. */
	async signalled(): Promise<void> {
		await this.#signalled.promise;
		this.#signalled = Promise.withResolvers<void>();
	}
}
