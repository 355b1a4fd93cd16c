/** Wakes one waiting loop: at once, or at a chosen time; rings that nobody waits for are remembered as one. */
import { after, monotonic, type Timer } from "#shared/clock.ts";

export class Alarm {
	#ringing = Promise.withResolvers<void>();
	#timer: Timer | undefined;
	#ringsAt = Number.POSITIVE_INFINITY;

	ring(): void {
		this.silence();
		this.#ringing.resolve();
	}

	/** Rings after `ms` unless it rings before. */
	ringWithin(ms: number): void {
		const at = monotonic() + ms;
		if (at >= this.#ringsAt) return;
		this.silence();
		this.#ringsAt = at;
		this.#timer = after(ms, () => this.ring());
	}

	/** Forgets the time it was to ring at. */
	silence(): void {
		this.#timer?.cancel();
		this.#ringsAt = Number.POSITIVE_INFINITY;
	}

	/** Resolves at the next ring, at once when there was one since the last call. */
	async rung(): Promise<void> {
		await this.#ringing.promise;
		this.#ringing = Promise.withResolvers<void>();
	}
}
