/**
 * Limits the requests of a gateway whose senders are known by a signature that a service has yet to check: how many bodies
 * are awaited at a time, and how many requests are worked on, in a second and at a time. Bodies that do not come keep nobody
 * out: beyond the bound, the oldest request of the address that has most waiting gives way to a new one. Neither do wrong
 * signatures: they are counted for the address that sends them, and right ones for the provider whose name they have.
 */
import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import { LRUCache } from "lru-cache";
import { bound } from "#shared/base/bounds.ts";
import { TokenBucket } from "#shared/base/concurrency/token-bucket.ts";
import { TooManyRequestsError } from "#shared/base/errors.ts";
import type { BegunRequest } from "./request-limits.ts";

/** Providers send a few messages for each push. */
const right = { perSecond: bound.messagesPerSecond, burst: bound.messageBurst };
/** A provider with a wrong secret sends as many as it has events. */
const wrong = { perSecond: bound.wrongMessagesPerSecond, burst: bound.wrongMessageBurst };

/** The sender of a request, as far as it is known before the signature is checked. */
interface UnsignedSender {
	readonly address: string;
	/** The address that a proxy in front of the gateway has seen; without a proxy anybody can name any. */
	readonly forwardedFor?: string | undefined;
	/** The provider that the request names. */
	readonly provider: string;
}

/** A request whose body is awaited. */
interface Waiting {
	readonly sender: string;
	/** Answers the request with an error. */
	readonly cut: (error: Error) => void;
}

/** Each gateway has its own counts; those of several are not added up. */
export class UnsignedLimit {
	readonly #right = new LRUCache<string, TokenBucket>({ max: bound.countedSenders });
	readonly #wrong = new LRUCache<string, TokenBucket>({ max: bound.countedSenders });
	#underWay = 0;
	/** The requests whose bodies are awaited, in the order in which they came. */
	readonly #waiting = new Set<Waiting>();

	/** Begins a request, which waits for its body. @param cut Answers it with an error when it has to give way. */
	begin({ address, forwardedFor = "", provider }: UnsignedSender, cut: (error: Error) => void): BegunRequest {
		const sender = `${network(address)} ${network(forwardedFor)}`;
		if (this.#waiting.size >= bound.waitingMessages) this.#cutOne();
		const waiting = { sender, cut };
		this.#waiting.add(waiting);
		let isWorking = false;
		return {
			work: () => {
				if (!this.#waiting.has(waiting)) throw tooMany();
				if ([this.#right.get(provider), this.#wrong.get(sender)].some((bucket) => bucket && bucket.level < 1))
					throw tooMany();
				if (this.#underWay >= bound.messages) throw tooMany();
				this.#underWay++;
				isWorking = this.#waiting.delete(waiting);
			},
			judged: (isRight) => {
				if (isRight) spend(this.#right, provider, right);
				else spend(this.#wrong, sender, wrong);
			},
			// A message has 768 KiB at most, and there are few of them at a time.
			received: () => {},
			end: () => {
				this.#waiting.delete(waiting);
				if (isWorking) this.#underWay--;
				isWorking = false;
			},
		};
	}

	#cutOne(): void {
		const bySender = Map.groupBy(this.#waiting, ({ sender }) => sender);
		const [oldest] = [...bySender.values()].reduce((most, own) => (own.length > most.length ? own : most), []);
		if (!oldest) return;
		this.#waiting.delete(oldest);
		oldest.cut(tooMany());
	}
}

/** Returns the address that the nearest proxy has added to `X-Forwarded-For`; the ones before it are the sender's own words. */
export function forwardedFor({ "x-forwarded-for": header }: IncomingHttpHeaders): string | undefined {
	const nearest = [header ?? []].flat().join().split(",").at(-1)?.trim() ?? "";
	return isIP(nearest) === 0 ? undefined : nearest;
}

function spend(buckets: LRUCache<string, TokenBucket>, sender: string, rate: typeof right): void {
	const bucket = buckets.get(sender) ?? new TokenBucket(rate);
	bucket.spend();
	buckets.set(sender, bucket);
}

/** Returns the part of an address that one sender has: all of IPv4, and the first 64 bits of IPv6. */
function network(address: string): string {
	if (!address.includes(":") || address.startsWith("::ffff:")) return address;
	const [head = ""] = address.split("::", 1);
	return [...head.split(":"), "0", "0", "0", "0"].slice(0, 4).join(":");
}

function tooMany(): TooManyRequestsError {
	return new TooManyRequestsError("Too many messages at a time, try again", "RATE_LIMIT");
}
