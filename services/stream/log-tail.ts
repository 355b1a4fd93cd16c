/**
 * Holds the newest entries of the event log as frames, in this process. It reads the log on hints and, since a hint may
 * be lost, each second. When entries are unknown or late, clients are reset, so that no event is lost unnoticed.
 */
import { every, monotonic, type Timer } from "#shared/base/clock.ts";
import type { LogEntry, LogHead } from "#shared/contracts/event-log.ts";
import type { ResetReason } from "#shared/contracts/stream.ts";
import { SingleFlight } from "#shared/base/concurrency/single-flight.ts";
import type { Audience } from "./audience.ts";
import type { EventIds, EventPosition } from "./event-ids.ts";
import { RetainedEntries, type TailEntry } from "./retained-entries.ts";
import { frame, isStreamEvent } from "./sse-frame.ts";

const pollMs = 1_000;
const readLimit = 500;
/** The entries that are read at the beginning. */
const pastEntries = 5_000;

/** The time within which a restarting service is back, in milliseconds. */
const quietMs = 5_000;

/**
 * How long a log may have a gap, or end before entries that were read, in milliseconds. Both happen with stale answers
 * during a failover and while a gap is being filled.
 */
const oddMs = 5_000;

interface LogSource {
	head(): Promise<LogHead>;
	/** Returns the entries after a sequence number, in order. */
	read(after: number, limit: number): Promise<LogEntry[]>;
}

/** The receiver of what the tail reads; its methods must not throw. */
interface TailListener {
	/** Receives new entries, in order. */
	appended(entries: readonly TailEntry[]): void;
	/** The log continued at another position than after `former`. */
	moved(former: EventPosition): void;
	/**
	 * The log was unreadable for some time, which is reported once until it can be read again; or its content is
	 * inconsistent.
	 */
	trouble(error: unknown): void;
}

/** A part of the events that a client has missed. */
interface Piece {
	readonly frames: readonly Buffer[];
	/** The position of the last event in it. */
	readonly position: EventPosition;
}

/** The tail of one process; its owner starts and stops it. */
export class LogTail {
	readonly #source: LogSource;
	readonly #listener: TailListener;
	readonly #ids: EventIds;
	#epoch = "";
	#seq = 0;
	readonly #retained = new RetainedEntries();
	#isCurrent = false;
	/** The time of the first failure on the monotonic clock; undefined while the log can be read. */
	#failingSince: number | undefined;
	#hasReported = false;
	/**
	 * The time since which the log contradicts earlier answers, on the monotonic clock; undefined while it does not.
	 */
	#oddSince: number | undefined;
	#readAt = -Infinity;
	#poll: Timer | undefined;
	#stopped = false;
	/** The number that hints say the log has reached, 0 without one; undefined when the next pass has to ask for the head of the log. */
	#hinted: number | undefined;
	/** The listener gets a failure in the pass itself, and the next read follows soon. */
	readonly #passes = new SingleFlight(() => this.#pass());
	readonly #refusedNames = new Set<string>();

	constructor(source: LogSource, listener: TailListener, ids: EventIds) {
		this.#source = source;
		this.#ids = ids;
		this.#listener = listener;
	}

	start(): void {
		this.#poll = every(pollMs, () => this.#look());
		this.#look();
	}

	stop(): void {
		this.#stopped = true;
		this.#poll?.cancel();
	}

	/** Reads the log because it is said to have reached this number. */
	hint(seq: number): void {
		if (seq <= this.#seq) return;
		if (this.#hinted !== undefined) this.#hinted = Math.max(seq, this.#hinted);
		this.#passes.request();
	}

	/** Reads the log because services have appeared or disappeared, so it may be readable again. */
	lookAgain(): void {
		if (!this.#isCurrent || this.#failingSince !== undefined) this.#look();
	}

	/** Whether the retained entries are all the newest ones that existed when the tail last began. */
	get isCurrent(): boolean {
		return this.#isCurrent;
	}

	/** Milliseconds since the last successful read. */
	get ageMs(): number {
		return monotonic() - this.#readAt;
	}

	/** The position of the newest entry. */
	get position(): EventPosition {
		return { epoch: this.#epoch, seq: this.#seq };
	}

	/** Returns the reason why a client of an audience cannot continue after this position; undefined when it can. */
	resetReason({ epoch, seq }: EventPosition, audience: Audience): ResetReason | undefined {
		if (epoch !== this.#epoch) return "epoch";
		if (seq > this.#seq) return "ahead";
		return this.#retained.hasAllAfter(seq, audience) ? undefined : "expired";
	}

	/**
	 * Returns the entries for one audience after a position that needs no reset: about `maxBytes`, and at least one
	 * entry if there is any.
	 */
	after({ seq }: EventPosition, audience: Audience, maxBytes: number): Piece {
		const frames: Buffer[] = [];
		let bytes = 0;
		for (const entry of this.#retained.after(seq, audience)) {
			if (!audience.sees(entry)) continue;
			frames.push(entry.frame);
			bytes += entry.frame.length;
			if (bytes >= maxBytes) return { frames, position: { epoch: this.#epoch, seq: entry.seq } };
		}
		return { frames, position: this.position };
	}

	/**
	 * Reads new entries; the read begins after the call.
	 * @throws when the log cannot be read, or only up to a gap.
	 */
	refresh(): Promise<void> {
		this.#hinted = undefined;
		return this.#passes.run();
	}

	/** Requests a read that begins with the head of the log. */
	#look(): void {
		this.#hinted = undefined;
		this.#passes.request();
	}

	async #pass(): Promise<void> {
		try {
			// A read of the head costs as much as one of the entries, and the polls look at it.
			if (!(await this.#readHinted())) await this.#read();
			this.#readAt = monotonic();
			this.#failingSince = undefined;
			this.#hasReported = false;
		} catch (error) {
			this.#reportFailure(error);
			throw error;
		}
	}

	#reportFailure(error: unknown): void {
		this.#failingSince ??= monotonic();
		if (this.#hasReported || monotonic() - this.#failingSince < quietMs) return;
		this.#hasReported = true;
		this.#listener.trouble(error);
	}

	async #read(): Promise<void> {
		const oddSince = this.#oddSince;
		this.#oddSince = undefined;
		const head = await this.#source.head();
		const isBehind = head.epoch === this.#epoch && head.seq < this.#seq;
		if (isBehind) this.#refuseOdd(oddSince, `The event log ends at ${head.seq}, before ${this.#seq}`);
		if (isBehind || head.epoch !== this.#epoch || head.oldest > this.#seq + 1) this.#begin(head);
		while (this.#seq < head.seq && !this.#stopped) {
			const entries = await this.#source.read(this.#seq, readLimit);
			if (entries[0]?.seq === this.#seq + 1) this.#append(entries);
			else {
				this.#refuseOdd(oddSince, `The event log has a gap after ${this.#seq}`);
				this.#begin({ ...head, oldest: head.seq + 1 });
			}
		}
		this.#isCurrent = true;
	}

	/** Reads up to the hinted number; false when there is none, or when the log does not continue what was read. */
	async #readHinted(): Promise<boolean> {
		const hinted = this.#hinted ?? 0;
		this.#hinted = 0;
		if (!this.#isCurrent) return false;
		while (this.#seq < hinted && !this.#stopped) {
			const entries = await this.#source.read(this.#seq, readLimit);
			if (entries[0]?.seq !== this.#seq + 1) return false;
			this.#append(entries);
		}
		return hinted > 0;
	}

	/** Tolerates a contradiction for a while. @throws {Error} until it has lasted for `oddMs`. */
	#refuseOdd(since: number | undefined, what: string): void {
		if (since !== undefined && monotonic() - since >= oddMs) return;
		this.#oddSince = since ?? monotonic();
		throw new Error(what);
	}

	#begin({ epoch, seq, oldest }: LogHead): void {
		const former = this.position;
		const wasCurrent = this.#isCurrent;
		this.#epoch = epoch;
		this.#seq = Math.max(0, oldest - 1, seq - pastEntries);
		this.#retained.clear(this.#seq);
		this.#isCurrent = false;
		if (wasCurrent) this.#listener.moved(former);
	}

	/**
	 * Appends entries. A skipped entry clears the ones before it, because its content is unknown and no client may
	 * continue across it.
	 */
	#append(entries: readonly LogEntry[]): void {
		const former = this.position;
		let fresh: TailEntry[] = [];
		let hasSkipped = false;
		for (const entry of entries) {
			if (entry.seq !== this.#seq + 1) break;
			this.#seq = entry.seq;
			if (entry.skipped) {
				hasSkipped = true;
				fresh = [];
				this.#retained.clear(this.#seq);
			} else fresh.push(this.#tailEntry(entry));
		}
		if (!this.#isCurrent) return;
		if (hasSkipped) this.#listener.moved(former);
		else this.#listener.appended(fresh);
	}

	/** Makes the frame of an entry, and retains it. One with an undeclared name is sent to nobody. */
	#tailEntry({ seq, type, data, tenant, owner, at }: LogEntry): TailEntry {
		if (!isStreamEvent(type)) {
			this.#refuse(type);
			return { seq, frame: Buffer.alloc(0), tenant: "", owner: "", at };
		}
		const bytes = unpooled(frame(type, data, this.#ids.ofEvent(this.position)));
		const made = { seq, frame: bytes, tenant, owner, at };
		this.#retained.add(made);
		return made;
	}

	#refuse(name: string): void {
		if (this.#refusedNames.has(name)) return;
		this.#refusedNames.add(name);
		this.#listener.trouble(new TypeError(`Event ${this.#seq} has the undeclared name "${name}"`));
	}
}

/**
 * Copies bytes into memory of their own. Node cuts small buffers out of pieces of 64 KB, and one that is retained would retain
 * its whole piece.
 */
function unpooled(bytes: Buffer): Buffer {
	const own = Buffer.allocUnsafeSlow(bytes.length);
	bytes.copy(own);
	return own;
}
