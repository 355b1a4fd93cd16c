/**
 * Follows a collection of the cluster: a list, then a watch from its state on, and again whatever becomes of either. What it keeps may
 * be late. It may say that something is there, and never that nothing is (docs/decisions/0161-own-calls-of-the-cluster.md).
 */
import { oneLine } from "#shared/base/one-line.ts";
import type { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { ApiError, noAnswer, refusalError } from "../api/api-error.ts";
import { asObject, type KubeObject, type WatchEvent } from "../api/kube-object.ts";
import type { ListVersion } from "../api/list-pages.ts";
import { KeptObjects, type KeptObject } from "./kept-objects.ts";
import { checkedVersion, isLater } from "./resource-version.ts";
import { watchEvents } from "./watch-lines.ts";
import type { WatchSource } from "./watch-source.ts";
import { spread, systemClock, usualTimes, type WatchClock, type WatchTimes, waitAfter } from "./watch-times.ts";

/** The number of silent watches, or of failures in a row, that leads to a list. */
const untilList = 3;
const maxTrouble = 500;
/** The events that are about one object. */
const changes: ReadonlySet<string> = new Set(["ADDED", "MODIFIED", "DELETED"]);

export interface WatchLoopDependencies<Seen extends KubeObject, Kept> {
	readonly source: WatchSource<Seen>;
	/** The label of its metric, such as `pods`. */
	readonly kind: string;
	/** Returns what is kept of an object. An object for which it throws is not kept, and is told as a trouble. */
	readonly project: (object: Seen) => Kept;
	/**
	 * Called after each change with the name of the object; it may not throw. @param isFirst Whether the object is of the first list, before
	 * which nothing was known.
	 */
	readonly onChange: (name: string, isFirst: boolean) => void;
	/** Called when a list was taken, when it goes on, and when it fails; it may not throw. */
	readonly onState?: () => void;
	readonly metrics?: Metrics;
	readonly times?: Partial<WatchTimes>;
	readonly clock?: WatchClock;
}

/** How a watch ends that has not failed. */
type End = "ended" | "silent" | "due";
type Step = "list" | "watch";

export class WatchLoop<Seen extends KubeObject, Kept> {
	readonly #source: WatchSource<Seen>;
	readonly #kind: string;
	readonly #project: (object: Seen) => Kept;
	readonly #onChange: (name: string, isFirst: boolean) => void;
	readonly #onState: () => void;
	readonly #metrics: Metrics | undefined;
	readonly #times: WatchTimes;
	readonly #clock: WatchClock;
	readonly #kept = new KeptObjects<Kept>();
	#seenByteAt = Number.NEGATIVE_INFINITY;
	#compareAt = Number.POSITIVE_INFINITY;
	/** `newest`: the state that is known is of no use, because the server has never had it. */
	#list: "newest" | "later" | undefined = "newest";
	#step: Step = "list";
	#openedAt: number | undefined;
	#failures = 0;
	#silences = 0;
	#trouble: string | undefined;
	#strange: string | undefined;

	constructor(dependencies: WatchLoopDependencies<Seen, Kept>) {
		const { source, kind, project, onChange, onState = () => {}, metrics, times, clock = systemClock } = dependencies;
		this.#source = source;
		this.#kind = kind;
		this.#project = project;
		this.#onChange = onChange;
		this.#onState = onState;
		this.#metrics = metrics;
		this.#times = { ...usualTimes, ...times };
		this.#clock = clock;
	}

	get(name: string): Kept | undefined {
		return this.#kept.get(name);
	}

	list(): Kept[] {
		return this.#kept.list();
	}

	/** When the server was heard last, by the monotonic clock; before everything if it was not. */
	get seenByteAt(): number {
		return this.#seenByteAt;
	}

	/** Whether the collection was listed once, so that what is kept is or was the truth. */
	get isListed(): boolean {
		return this.#kept.version !== undefined;
	}

	/** Whether what is kept can be trusted as to what is there. */
	get isFresh(): boolean {
		return this.#kept.version !== undefined && this.#clock.monotonic() - this.#seenByteAt < this.#times.silenceMs;
	}

	/** Why it does not go on, such as the right that is missing; undefined when all is well. */
	get trouble(): string | undefined {
		return this.#trouble ?? this.#strange;
	}

	/** Follows the collection until the signal aborts. It never throws. */
	async run(signal: AbortSignal): Promise<void> {
		while (!signal.aborted) {
			this.#openedAt = undefined;
			const waitMs = await this.#round(signal).then(
				(end) => this.#waitAfterEnd(end),
				(error: unknown) => this.#waitAfterFailure(error),
			);
			if (waitMs > 0 && !signal.aborted) await this.#clock.sleep(waitMs, signal);
		}
	}

	async #round(signal: AbortSignal): Promise<End> {
		this.#step = "list";
		if (this.#list === undefined && this.#clock.monotonic() >= this.#compareAt) await this.#compare(signal);
		if (this.#list !== undefined) await this.#takeList(signal);
		this.#step = "watch";
		return this.#watch(signal);
	}

	/**
	 * Counts what a list of the very state that is kept has differently, and lets a list of the newest state follow. A server may have
	 * forgotten the state, so that nothing can be compared.
	 */
	async #compare(signal: AbortSignal): Promise<void> {
		const { version } = this.#kept;
		this.#list = "later";
		this.#compareAt = this.#nextComparison();
		if (version === undefined) return;
		const listed = await this.#listed({ resourceVersion: version, match: "Exact" }, signal).catch((error: unknown) => {
			if (error instanceof ApiError && (error.isExpired || error.isVersionUnknown)) return undefined;
			throw error;
		});
		if (listed?.resourceVersion !== version) return;
		const found = this.#kept.differences(listed.objects).length;
		if (found > 0) this.#metrics?.counter("atelier_cluster_watch_drift_total").at(this.#kind).add(found);
	}

	async #takeList(signal: AbortSignal): Promise<void> {
		const known = this.#list === "later" ? this.#kept.version : undefined;
		const version = known === undefined ? undefined : ({ resourceVersion: known, match: "NotOlderThan" } as const);
		this.#strange = undefined;
		const { resourceVersion, objects } = await this.#listed(version, signal);
		if (known !== undefined && isLater(known, resourceVersion))
			throw noAnswer("AnswerUnreadable", `The cluster's API has answered an earlier list of ${this.#source.words}`);
		// The newest state is earlier only where the cluster's store was replaced by a former one.
		const isBack = this.#kept.version !== undefined && isLater(this.#kept.version, resourceVersion);
		const isFirst = this.#kept.version === undefined;
		const gone = isBack ? this.#kept.forget() : [];
		const changed = this.#kept.takeList(resourceVersion, objects);
		this.#list = undefined;
		this.#compareAt = this.#nextComparison();
		this.#hear();
		for (const name of new Set([...gone, ...changed])) this.#onChange(name, isFirst);
		this.#onState();
	}

	async #listed(version: ListVersion | undefined, signal: AbortSignal) {
		const listed = await this.#source.list((object) => this.#keptOf(object), version, signal);
		const { resourceVersion, items, leftOut = [] } = listed;
		const [tooLarge] = leftOut;
		if (tooLarge !== undefined) this.#estrange(tooLarge, "too large to be read");
		return {
			resourceVersion: checkedVersion(resourceVersion),
			objects: items.filter((object) => object !== undefined),
		};
	}

	#keptOf(object: Seen): KeptObject<Kept> | undefined {
		const { name, resourceVersion } = object.metadata;
		const version = checkedVersion(resourceVersion);
		try {
			return { name, resourceVersion: version, value: this.#project(object) };
		} catch {
			this.#estrange(name, "not understood");
			return undefined;
		}
	}

	#estrange(name: string, why: string): void {
		this.#strange = oneLine(`One of the cluster's ${this.#source.words}, "${name}", is ${why}`, maxTrouble);
	}

	async #watch(signal: AbortSignal): Promise<End> {
		const version = this.#kept.version;
		if (version === undefined) throw new TypeError("A watch follows a list");
		const ending = new AbortController();
		const timeoutSeconds = Math.ceil(spread(this.#times.watchMs, 0.25, () => this.#clock.random()) / 1_000);
		const stream = await this.#source.watch(
			{ resourceVersion: version, timeoutSeconds },
			AbortSignal.any([signal, ending.signal]),
		);
		this.#openedAt = this.#clock.monotonic();
		this.#trouble = undefined;
		this.#hear();
		this.#onState();
		let end: End = "ended";
		const limits = this.#keepLimits((limit) => {
			end = limit;
			ending.abort();
		});
		try {
			const events = watchEvents(stream, () => {
				this.#silences = 0;
				this.#hear();
			});
			for await (const event of events) this.#take(event, version);
		} catch (error) {
			if (end === "ended") throw error;
		} finally {
			limits.cancel();
			ending.abort();
		}
		return end;
	}

	/** Tells when the watch is silent for too long, or the next comparison is due. */
	#keepLimits(onLimit: (limit: End) => void): { cancel(): void } {
		const look = (): void => {
			const at = this.#clock.monotonic();
			const silentAt = this.#seenByteAt + this.#times.silenceMs;
			if (at >= silentAt) onLimit("silent");
			else if (at >= this.#compareAt) onLimit("due");
			else timer = this.#clock.after(Math.ceil(Math.min(silentAt, this.#compareAt) - at), look);
		};
		let timer = this.#clock.after(0, look);
		return { cancel: () => timer.cancel() };
	}

	/** @param from The state from which the watch goes on: what is not later was seen before. */
	#take({ type, object: seen }: WatchEvent, from: string): void {
		if (type === "ERROR") throw refusalError({ body: seen });
		const version = versionOf(seen);
		if (type === "BOOKMARK") return this.#kept.advance(version);
		const object = asObject(seen);
		if (!object || !changes.has(type ?? ""))
			throw noAnswer("AnswerUnreadable", "The cluster's API has sent an event that is not understood");
		if (!isLater(version, from)) return;
		this.#kept.advance(version);
		// The server answers with objects of the collection's kind.
		if (this.#isChange(type, object as Seen, version)) this.#onChange(object.metadata.name, false);
	}

	#isChange(type: string | undefined, object: Seen, version: string): boolean {
		const kept = type === "DELETED" ? undefined : this.#keptOf(object);
		return kept ? this.#kept.put(kept) : this.#kept.remove(object.metadata.name, version);
	}

	#waitAfterEnd(end: End): number {
		if (end === "silent" && ++this.#silences >= untilList) {
			this.#silences = 0;
			this.#list ??= "later";
		}
		if (this.#hasLived(this.#times.steadyMs)) this.#failures = 0;
		if (end !== "ended" || this.#hasLived(this.#times.shortestMs)) return 0;
		return this.#wait();
	}

	#waitAfterFailure(cause: unknown): number {
		const error = cause instanceof ApiError ? cause : noAnswer("Unreachable", sentenceOf(cause), cause);
		if (this.#hasLived(this.#times.steadyMs)) this.#failures = 0;
		// It is usual that a server has forgotten the state of a watch, above all one that was started again.
		const isUsual = error.isExpired && this.#step === "watch" && this.#failures === 0;
		const waitMs = Math.max(this.#wait(), error.retryAfterMs ?? 0);
		this.#list = this.#listAfter(error);
		this.#trouble = oneLine(this.#troubleOf(error), maxTrouble);
		if (isUsual) return 0;
		this.#onState();
		return waitMs;
	}

	#listAfter({ isVersionUnknown, isExpired }: ApiError): "newest" | "later" | undefined {
		if (isVersionUnknown || (isExpired && this.#step === "list")) return "newest";
		return isExpired || this.#failures >= untilList ? (this.#list ?? "later") : this.#list;
	}

	#wait(): number {
		return waitAfter(++this.#failures, this.#times, () => this.#clock.random());
	}

	#troubleOf({ status, message }: ApiError): string {
		const { words } = this.#source;
		if (status === 403) return `The platform lacks the right to ${this.#step} ${words}: ${message}`;
		return `The cluster's ${words} cannot be followed: ${message}`;
	}

	#hasLived(ms: number): boolean {
		return this.#openedAt !== undefined && this.#clock.monotonic() - this.#openedAt >= ms;
	}

	#hear(): void {
		this.#seenByteAt = this.#clock.monotonic();
	}

	#nextComparison(): number {
		return this.#clock.monotonic() + spread(this.#times.compareMs, 0.2, () => this.#clock.random());
	}
}

/** The version of an object, or of a bookmark, which is none. */
function versionOf(seen: unknown): string {
	return checkedVersion((seen as Partial<KubeObject> | undefined)?.metadata?.resourceVersion);
}

function sentenceOf(cause: unknown): string {
	return cause instanceof Error ? cause.message : "The watch has failed";
}
