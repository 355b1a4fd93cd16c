/** Computes tokens over time from raw events, counting each token once. Pure. */
import type { SessionEvent, TokenBucket } from "#shared/contracts/sessions/session-events.ts";

/** The members of an event that are counted; the others may be a thousand times as large. */
type CountedEvent = Pick<SessionEvent, "event_type" | "timestamp" | "tokens_in" | "tokens_out" | "cost">;

export function countedOf({ event_type, timestamp, tokens_in, tokens_out, cost }: SessionEvent): CountedEvent {
	return { event_type, timestamp, tokens_in, tokens_out, cost };
}

/** Micro-dollars per dollar; sums of integer micro-dollars are exact. */
const micro = 1_000_000;

/**
 * Returns the non-empty buckets in ascending order. Producers report a turn's tokens with its answer, in separate
 * events, or both. When a turn (from one `message_user` to the next) has separate events, these are counted and its
 * answers are not.
 */
export function tokenTimeline(events: Iterable<CountedEvent>, bucketSeconds: number): TokenBucket[] {
	const buckets = new Map<number, TokenBucket>();
	for (const turn of turnsOf(events)) {
		const own = turn.filter(({ event_type }) => event_type === "token_usage");
		const counting = own.length > 0 ? own : turn.filter(({ event_type }) => event_type === "message_assistant");
		for (const event of counting.filter(hasTokens)) add(buckets, event, bucketSeconds);
	}
	const sums = [...buckets.values()].sort((one, other) => one.bucket - other.bucket);
	return sums.map((sum) => ({ ...sum, cost: sum.cost / micro }));
}

function turnsOf(events: Iterable<CountedEvent>): CountedEvent[][] {
	const turns: CountedEvent[][] = [[]];
	for (const event of events) {
		if (event.event_type === "message_user") turns.push([]);
		turns.at(-1)?.push(event);
	}
	return turns;
}

function hasTokens({ tokens_in, tokens_out, cost }: CountedEvent): boolean {
	return Boolean(tokens_in) || Boolean(tokens_out) || Boolean(cost);
}

function add(buckets: Map<number, TokenBucket>, event: CountedEvent, bucketSeconds: number): void {
	const seconds = Math.floor(Date.parse(event.timestamp) / 1_000);
	const bucket = Math.floor(seconds / bucketSeconds) * bucketSeconds;
	const sum = buckets.get(bucket) ?? { bucket, tokens_in: 0, tokens_out: 0, cost: 0 };
	sum.tokens_in += event.tokens_in ?? 0;
	sum.tokens_out += event.tokens_out ?? 0;
	sum.cost += Math.round((event.cost ?? 0) * micro);
	buckets.set(bucket, sum);
}
