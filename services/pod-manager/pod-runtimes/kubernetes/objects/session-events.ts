/**
 * Reads what the cluster tells of pods that are late. Others may have written any number of events, of any size, and the API looks through
 * all events of the namespace for those of one pod: so little is read of one pod, and reading takes a fifth of the time at most.
 */
import { monotonic } from "#shared/base/clock.ts";
import { TokenBucket } from "#shared/base/concurrency/token-bucket.ts";
import type { ApiClient } from "#shared/kubernetes/api/api-client.ts";
import type { KubeObject } from "#shared/kubernetes/api/kube-object.ts";
import type { Resource } from "#shared/kubernetes/api/resource.ts";
import type { ClusterEvent } from "../state/circumstances.ts";

/** The most of the events of one object, and the longest time: the usual ones have about 1 KB each. */
const most = { count: 200, maxBytes: 1_048_576, withinMs: 1_500 };
/** The most events that are kept of an object. */
const maxKept = 50;
/** The milliseconds of reading in a second, and at once after a pause. */
const readingMs = { perSecond: 200, burst: 5_000 };

interface EventObject extends KubeObject {
	readonly reason?: string;
	readonly message?: string;
	readonly lastTimestamp?: string | null;
	readonly eventTime?: string | null;
}

/** Both methods resolve to the newest events first, or to undefined where there is no time to read them now. @throws {ApiError} */
export class SessionEvents {
	readonly #api: Pick<ApiClient, "first">;
	readonly #events: Resource;
	readonly #time = new TokenBucket(readingMs);

	constructor(api: Pick<ApiClient, "first">, namespace: string) {
		this.#api = api;
		this.#events = { version: "v1", plural: "events", namespace };
	}

	ofPod(uid: string): Promise<ClusterEvent[] | undefined> {
		return this.#of(`involvedObject.uid=${uid}`);
	}

	ofClaim(name: string): Promise<ClusterEvent[] | undefined> {
		return this.#of(`involvedObject.kind=PersistentVolumeClaim,involvedObject.name=${name}`);
	}

	async #of(fieldSelector: string): Promise<ClusterEvent[] | undefined> {
		if (this.#time.level <= 0) return undefined;
		const from = monotonic();
		try {
			const events = await this.#api.first<EventObject>(this.#events, { fieldSelector, ...most });
			return newest(events);
		} finally {
			this.#time.spend(monotonic() - from);
		}
	}
}

function newest(events: readonly EventObject[]): ClusterEvent[] {
	return events
		.toSorted((one, other) => orderOf(other).localeCompare(orderOf(one)))
		.slice(0, maxKept)
		.map((event) => ({ reason: event.reason ?? "", message: event.message ?? "", at: timeOf(event) }));
}

function timeOf({ lastTimestamp, eventTime, metadata }: EventObject): string {
	return lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? "";
}

/** Times have whole seconds; the name of an event ends with its nanoseconds as a number of one length. */
function orderOf(event: EventObject): string {
	return `${timeOf(event)} ${event.metadata.name}`;
}
