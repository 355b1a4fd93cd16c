/** A collection of a cluster in memory on a clock of its own, with every fault that an API server and the way to it can have. */
import { ApiError, noAnswer, refusalError } from "#shared/kubernetes/api/api-error.ts";
import type { Listed, ListVersion } from "#shared/kubernetes/api/list-pages.ts";
import type { WatchSource, WatchStart } from "#shared/kubernetes/watch/watch-source.ts";
import { ByteStream } from "./byte-stream.ts";
import { ClusterObjects, ClusterRefusal } from "./cluster-objects.ts";
import { asSeenBy, type Change, type StoredObject } from "./label-selection.ts";
import type { VirtualClock } from "./virtual-clock.ts";

const collection = "/api/v1/namespaces/sessions/pods";
const selector = "ours=yes";
const bookmarkMs = 60_000;

/** Faults of the server. Each is there as long as it is set. */
export interface SourceFaults {
	/** No request is answered, and every watch has ended. */
	isDown: boolean;
	/** Watches seem to live and tell nothing. */
	isSilent: boolean;
	/** Lists fail with this status. */
	listStatus: number | undefined;
	/** Watches are answered with this status. */
	watchStatus: number | undefined;
	/** Lists are the ones of this earlier state, whatever was asked for. */
	staleAt: number | undefined;
	/** The time after which failed requests want to be made again. */
	retryAfterMs: number | undefined;
	/** Events are lost. */
	isLossy: boolean;
}

const none: SourceFaults = {
	isDown: false,
	isSilent: false,
	listStatus: undefined,
	watchStatus: undefined,
	staleAt: undefined,
	retryAfterMs: undefined,
	isLossy: false,
};

export class SimulatedSource implements WatchSource<StoredObject> {
	readonly words = "pods";
	readonly cluster = new ClusterObjects();
	readonly faults: SourceFaults = { ...none };
	/** The times of all requests. */
	readonly requests: { readonly what: "list" | "watch"; readonly at: number }[] = [];
	readonly #clock: VirtualClock;
	readonly #watches = new Set<ByteStream>();
	/** A connection that has lost something tells nothing more, and not even its end. */
	readonly #dead = new WeakSet<ByteStream>();

	constructor(clock: VirtualClock) {
		this.#clock = clock;
	}

	/** Ends all faults. */
	heal(): void {
		Object.assign(this.faults, none);
	}

	async list<Kept>(
		keep: (object: StoredObject) => Kept,
		version: ListVersion | undefined,
		signal: AbortSignal,
	): Promise<Listed<Kept>> {
		await this.#arrival("list", this.faults.listStatus, signal);
		const { staleAt } = this.faults;
		const at = staleAt ?? (version?.match === "Exact" ? Number(version.resourceVersion) : this.cluster.version);
		return answered(() => {
			if (version?.match === "NotOlderThan" && Number(version.resourceVersion) > this.cluster.version)
				this.cluster.list(collection, selector, Number(version.resourceVersion));
			const objects = this.cluster.list(collection, selector, at);
			return { resourceVersion: String(at), items: objects.map((object) => keep(object)) };
		});
	}

	async watch(
		{ resourceVersion, timeoutSeconds }: WatchStart,
		signal: AbortSignal,
	): Promise<AsyncIterable<Uint8Array>> {
		await this.#arrival("watch", this.faults.watchStatus, signal);
		const since = answered(() => this.cluster.changesSince(Number(resourceVersion), collection, selector));
		const stream = new ByteStream();
		this.#watches.add(stream);
		for (const change of since) this.#tell(stream, change);
		const unlisten = this.cluster.listen((change) => {
			const seen = change.collection === collection ? asSeenBy(change, selector) : undefined;
			if (seen && !this.faults.isLossy) this.#tell(stream, seen);
		});
		const timer = this.#clock.after(timeoutSeconds * 1_000, () => this.#dead.has(stream) || stream.end());
		const bookmark = (): void => {
			const object = { kind: "Pod", metadata: { resourceVersion: String(this.cluster.version) } };
			this.#write(stream, `${JSON.stringify({ type: "BOOKMARK", object })}\n`);
			if (!stream.isEnded) this.#clock.after(bookmarkMs, bookmark);
		};
		this.#clock.after(bookmarkMs, bookmark);
		signal.addEventListener("abort", () => {
			stream.end(noAnswer("Aborted", "aborted"));
			timer.cancel();
			unlisten();
			this.#watches.delete(stream);
		});
		return stream;
	}

	/** Writes to all watches, such as a part of a line. */
	say(text: string): void {
		for (const watch of this.#watches) this.#write(watch, text);
	}

	/** Ends all watches. @param error Absent: in order. */
	endWatches(error?: Error): void {
		for (const watch of this.#watches) if (!this.#dead.has(watch)) watch.end(error);
	}

	/** The names and versions that a loop has to have. */
	get truth(): Record<string, string> {
		return Object.fromEntries(
			this.cluster.list(collection, selector).map(({ metadata }) => [metadata.name, metadata.resourceVersion ?? ""]),
		);
	}

	/** Makes, changes, removes or hides an object. */
	disturb(random: () => number): void {
		const name = `session-${Math.floor(random() * 12)}`;
		const metadata = { name, labels: { ours: random() < 0.9 ? "yes" : "no" } };
		const what = random();
		try {
			if (what < 0.3) this.cluster.delete(collection, name);
			else this.cluster.replace(collection, name, { metadata });
		} catch {
			this.cluster.create(collection, { metadata });
		}
		if (what > 0.9) this.cluster.touch(Math.floor(random() * 5));
	}

	async #arrival(what: "list" | "watch", status: number | undefined, signal: AbortSignal): Promise<void> {
		this.requests.push({ what, at: this.#clock.monotonic() });
		await this.#clock.sleep(5, signal);
		if (signal.aborted) throw noAnswer("Aborted", "aborted");
		if (this.faults.isDown) throw noAnswer("Unreachable", "The connection was refused");
		if (status === undefined) return;
		const { retryAfterMs } = this.faults;
		const reason = status === 410 ? "Expired" : "Failure";
		throw new ApiError({ status, reason, message: "failed", retryAfterMs });
	}

	#tell(stream: ByteStream, { type, object }: Change): void {
		this.#write(stream, `${JSON.stringify({ type, object })}\n`);
	}

	#write(stream: ByteStream, text: string): void {
		if (this.faults.isSilent) this.#dead.add(stream);
		if (!this.#dead.has(stream)) stream.write(text);
	}
}

function answered<T>(answer: () => T): T {
	try {
		return answer();
	} catch (error) {
		if (error instanceof ClusterRefusal) throw refusalError({ status: error.code, body: error.body });
		throw error;
	}
}
