/**
 * The newest entries of the event log, as frames, in this process. Follows the log by hints and, since a hint may be
 * lost, by looking each second. What it cannot know, or is not told in time, ends in a reset: no event is left out unseen.
 */
import { every, monotonic, type Timer } from "#shared/clock.ts";
import type { LogEntry, LogHead } from "#shared/contracts/event-log.ts";
import type { ResetReason } from "#shared/contracts/stream.ts";
import { SingleFlight } from "#shared/single-flight.ts";
import type { Addressed, Audience } from "./audience.ts";
import { frame, isStreamEvent, type EventPosition } from "./sse-frame.ts";

const pollMs = 1_000;
const readLimit = 500;
const keptEntries = 5_000;
const keptBytes = 64 * 1024 * 1024;

/** A service that starts again is back by then. */
const quietMs = 5_000;

/** So long a log may have a gap, or end before what was read of it: old answers of a failover, or what is just being mended. */
const oddMs = 5_000;

export interface LogSource {
	head(): Promise<LogHead>;
	/** Entries after a sequence number, in order. */
	read(after: number, limit: number): Promise<LogEntry[]>;
}

export interface TailEntry extends Addressed {
	readonly seq: number;
	readonly frame: Buffer;
}

export interface TailListener {
	/** The log has grown. */
	appended(entries: readonly TailEntry[]): void;
	/** The log went on elsewhere than after `former`. */
	moved(former: EventPosition): void;
	/** The log cannot be read for some time, told once until it can be again; or it holds what it should not. */
	trouble(error: unknown): void;
}

/** Part of what a client has missed. */
export interface Piece {
	readonly frames: readonly Buffer[];
	/** Where it ends. */
	readonly position: EventPosition;
}

export class LogTail {
	readonly #source: LogSource;
	readonly #listener: TailListener;
	#epoch = "";
	#seq = 0;
	/** Without gaps; the last one is number `#seq`. */
	#entries: TailEntry[] = [];
	#bytes = 0;
	#isCurrent = false;
	/** On the monotonic clock; undefined while all is well. */
	#failingSince: number | undefined;
	#hasTold = false;
	/** On the monotonic clock; undefined while what the log says fits what it said before. */
	#oddSince: number | undefined;
	#readAt = -Infinity;
	#poll: Timer | undefined;
	#stopped = false;
	/** The listener hears of a failure in the pass itself, and the next look comes soon. */
	readonly #passes = new SingleFlight(() => this.#pass());
	readonly #refusedNames = new Set<string>();

	constructor(source: LogSource, listener: TailListener) {
		this.#source = source;
		this.#listener = listener;
	}

	start(): void {
		this.#poll = every(pollMs, () => this.#passes.request());
		this.#passes.request();
	}

	stop(): void {
		this.#stopped = true;
		this.#poll?.cancel();
	}

	/** A hint that the log has reached this number. */
	hint(seq: number): void {
		if (seq > this.#seq) this.#passes.request();
	}

	/** Services have come or gone: perhaps the log can be read again. */
	lookAgain(): void {
		if (!this.#isCurrent || this.#failingSince !== undefined) this.#passes.request();
	}

	/** Whether the kept entries are all the newest ones there were when the log was last begun. */
	get isCurrent(): boolean {
		return this.#isCurrent;
	}

	/** Milliseconds since the log could last be read. */
	get ageMs(): number {
		return monotonic() - this.#readAt;
	}

	/** Of the newest entry. */
	get position(): EventPosition {
		return { epoch: this.#epoch, seq: this.#seq };
	}

	/** Why a client cannot go on after this position; undefined when it can. */
	resetReason({ epoch, seq }: EventPosition): ResetReason | undefined {
		if (epoch !== this.#epoch) return "epoch";
		if (seq > this.#seq) return "ahead";
		return seq < this.#seq - this.#entries.length ? "expired" : undefined;
	}

	/** What follows a position that needs no reset, for one audience: about `maxBytes`, at least one entry if any is left. */
	after({ seq }: EventPosition, audience: Audience, maxBytes: number): Piece {
		const frames: Buffer[] = [];
		let index = this.#entries.length - (this.#seq - seq);
		for (let bytes = 0; bytes < maxBytes && index < this.#entries.length; index++) {
			const entry = this.#entries[index];
			if (!entry || !audience.sees(entry)) continue;
			frames.push(entry.frame);
			bytes += entry.frame.length;
		}
		return { frames, position: { epoch: this.#epoch, seq: this.#seq - (this.#entries.length - index) } };
	}

	/**
	 * Reads what is new; the reading begins after the call.
	 * @throws when the log cannot be read, or only up to a gap.
	 */
	refresh(): Promise<void> {
		return this.#passes.run();
	}

	async #pass(): Promise<void> {
		try {
			await this.#read();
			this.#readAt = monotonic();
			this.#failingSince = undefined;
			this.#hasTold = false;
		} catch (error) {
			this.#tell(error);
			throw error;
		}
	}

	#tell(error: unknown): void {
		this.#failingSince ??= monotonic();
		if (this.#hasTold || monotonic() - this.#failingSince < quietMs) return;
		this.#hasTold = true;
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

	/** @throws {Error} until it has been so for some time. */
	#refuseOdd(since: number | undefined, what: string): void {
		if (since !== undefined && monotonic() - since >= oddMs) return;
		this.#oddSince = since ?? monotonic();
		throw new Error(what);
	}

	/** Anew, with as much of the past as is kept. */
	#begin({ epoch, seq, oldest }: LogHead): void {
		const former = this.position;
		const wasCurrent = this.#isCurrent;
		this.#epoch = epoch;
		this.#seq = Math.max(0, oldest - 1, seq - keptEntries);
		this.#forgetAll();
		this.#isCurrent = false;
		if (wasCurrent) this.#listener.moved(former);
	}

	/** Nobody goes on from before an entry that was skipped, since nobody knows what it was. */
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
				this.#forgetAll();
			} else fresh.push(this.#tailEntry(entry));
		}
		this.#entries.push(...fresh);
		this.#forgetOldest();
		if (!this.#isCurrent) return;
		if (hasSkipped) this.#listener.moved(former);
		else this.#listener.appended(fresh);
	}

	/** An entry whose name nobody declared keeps its place in the order and is shown to nobody. */
	#tailEntry({ seq, type, data, tenant, owner }: LogEntry): TailEntry {
		if (!isStreamEvent(type)) {
			this.#refuse(type);
			return { seq, frame: Buffer.alloc(0), tenant: "", owner: "" };
		}
		const bytes = frame(type, data, this.position);
		this.#bytes += bytes.length;
		return { seq, frame: bytes, tenant, owner };
	}

	#refuse(name: string): void {
		if (this.#refusedNames.has(name)) return;
		this.#refusedNames.add(name);
		this.#listener.trouble(new TypeError(`Event ${this.#seq} has the undeclared name "${name}"`));
	}

	#forgetAll(): void {
		this.#entries = [];
		this.#bytes = 0;
	}

	#forgetOldest(): void {
		let count = Math.max(0, this.#entries.length - keptEntries);
		for (const { frame } of this.#entries.slice(0, count)) this.#bytes -= frame.length;
		for (; this.#bytes > keptBytes; count++) this.#bytes -= this.#entries[count]?.frame.length ?? 0;
		this.#entries.splice(0, count);
	}
}
