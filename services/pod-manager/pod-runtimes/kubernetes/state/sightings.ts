/** Remembers since when this process has seen pods in a condition, and what the cluster has told of pods that are late. */
import { LRUCache } from "lru-cache";
import { monotonic } from "#shared/base/clock.ts";
import type { Circumstances, ClusterEvent } from "./circumstances.ts";

/** A condition that nobody has asked about for so long was over in between, in milliseconds. */
const forgottenMs = 120_000;
/** The age at which events are read again, in milliseconds. */
const newMs = 5_000;
const maxPods = 16_384;

interface ReadEvents {
	readonly at: number;
	readonly events: readonly ClusterEvent[];
}

export class Sightings implements Circumstances {
	readonly #monotonic: () => number;
	readonly #since: LRUCache<string, number>;
	readonly #events: LRUCache<string, ReadEvents>;

	/** @param now A clock that never goes back, in milliseconds; default: that of the process. */
	constructor(now: () => number = monotonic) {
		this.#monotonic = now;
		const terms = { ttl: forgottenMs, ttlResolution: 0, perf: { now } };
		this.#since = new LRUCache({ ...terms, max: 4 * maxPods, updateAgeOnGet: true });
		this.#events = new LRUCache({ ...terms, max: maxPods });
	}

	readonly seenFor = (uid: string, what: string): number => {
		const key = `${uid} ${what}`;
		const since = this.#since.get(key) ?? this.#monotonic();
		if (!this.#since.has(key)) this.#since.set(key, since);
		return this.#monotonic() - since;
	};

	readonly eventsOf = (uid: string): readonly ClusterEvent[] => this.#events.get(uid)?.events ?? [];

	/** Reads the events of a pod, unless they are new. A failure, or no answer, changes nothing. */
	async learn(uid: string, read: () => Promise<readonly ClusterEvent[] | undefined>): Promise<void> {
		const { at = -Infinity } = this.#events.get(uid) ?? {};
		if (this.#monotonic() - at < newMs) return;
		this.#events.set(uid, { at: this.#monotonic(), events: this.eventsOf(uid) });
		const events = await read().catch(() => undefined);
		if (events) this.#events.set(uid, { at: this.#monotonic(), events });
	}
}
