/** Remembers since when this process has seen pods in a condition, and what the cluster has told of pods that are late. */
import { LRUCache } from "lru-cache";
import { monotonic } from "#shared/base/clock.ts";
import type { Circumstances, ClusterEvent } from "./circumstances.ts";

/** A condition that nobody has asked about for so long was over in between, in milliseconds. */
const forgottenMs = 120_000;
/** The age at which events are read again, in milliseconds. */
const newMs = 5_000;
const maxPods = 16_384;

export class Sightings implements Circumstances {
	readonly #since = new LRUCache<string, number>({ max: 4 * maxPods, ttl: forgottenMs, updateAgeOnGet: true });
	readonly #events = new LRUCache<string, { readonly at: number; readonly events: readonly ClusterEvent[] }>({
		max: maxPods,
		ttl: forgottenMs,
	});

	readonly seenFor = (uid: string, what: string): number => {
		const key = `${uid} ${what}`;
		const since = this.#since.get(key) ?? monotonic();
		if (!this.#since.has(key)) this.#since.set(key, since);
		return monotonic() - since;
	};

	readonly eventsOf = (uid: string): readonly ClusterEvent[] => this.#events.get(uid)?.events ?? [];

	/** Reads the events of a pod, unless they are new. A failure changes nothing. */
	async learn(uid: string, read: () => Promise<readonly ClusterEvent[]>): Promise<void> {
		const { at = -Infinity } = this.#events.get(uid) ?? {};
		if (monotonic() - at < newMs) return;
		this.#events.set(uid, { at: monotonic(), events: this.eventsOf(uid) });
		const events = await read().catch(() => undefined);
		if (events) this.#events.set(uid, { at: monotonic(), events });
	}
}
