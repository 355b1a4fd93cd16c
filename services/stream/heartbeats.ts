/**
 * Sends each audience its heartbeats, spread over the interval, so that many audiences do not ask for their statistics at
 * the same moment. Statistics are asked for again only when something has happened since; a heartbeat does not wait long for
 * them.
 */
import { bound } from "#shared/base/bounds.ts";
import { every, isoTime, monotonic, type Timer } from "#shared/base/clock.ts";
import { FairQueue } from "#shared/base/concurrency/fair-queue.ts";
import type { Principal } from "#shared/base/principal.ts";
import type { Stats } from "#shared/contracts/sessions/usage.ts";
import type { Audience } from "./audience.ts";
import { frame } from "./sse-frame.ts";

/** The time between an event and the books that belong to it, in milliseconds. */
const settlingMs = 2_000;

/** Bounds how long a number can be wrong that changed without an event, e.g. by a correction, in milliseconds. */
const maxAgeMs = 300_000;

/** A heartbeat that is so late for want of its statistics is sent without them, in milliseconds. */
const patienceMs = 2_000;

/** The interval of looks for audiences whose time has come, in milliseconds; shorter for short intervals. */
const lookMs = 500;
const looksPerInterval = 20;

/** The clients of one audience. */
export interface HeartbeatGroup {
	readonly audience: Audience;
	/** The time of its newest event on the monotonic clock. */
	readonly changedAt: number;
}

interface HeartbeatDependencies<G extends HeartbeatGroup> {
	readonly everyMs: number;
	readonly groups: () => Iterable<G>;
	/** Returns the statistics of a principal's scope; undefined when they are not available. It does not throw. */
	readonly statsOf: (principal: Principal) => Promise<Stats | undefined>;
	/** Sends a heartbeat. @param stats The frame of the statistics; undefined without them. */
	readonly send: (group: G, stats: Buffer | undefined) => void;
}

interface SentStats {
	readonly frame: Buffer;
	readonly at: number;
	/** Numbers of the day begin anew with it. */
	readonly day: string;
}

interface Beat {
	dueAt: number;
	/** The time of the last heartbeat, or of the first look, on the monotonic clock. */
	sentAt: number;
	isWaiting: boolean;
	asked?: SentStats;
}

/** The heartbeats of one process. Its creator starts and stops them. */
export class Heartbeats<G extends HeartbeatGroup> {
	readonly #dependencies: HeartbeatDependencies<G>;
	readonly #beats = new WeakMap<Audience, Beat>();
	readonly #questions = new FairQueue({ atOnce: bound.statsQuestions });
	#isStopped = false;
	#timer: Timer | undefined;

	constructor(dependencies: HeartbeatDependencies<G>) {
		this.#dependencies = dependencies;
	}

	start(): void {
		const { everyMs } = this.#dependencies;
		this.#timer = every(Math.min(lookMs, Math.max(1, everyMs / looksPerInterval)), () => this.look());
	}

	/** Ends the heartbeats; those under way still end. */
	stop(): void {
		this.#timer?.cancel();
		this.#isStopped = true;
	}

	/** Sends the heartbeats whose time has come. */
	look(): void {
		const at = monotonic();
		for (const group of this.#dependencies.groups()) {
			const beat = this.#beatOf(group, at);
			if (beat.isWaiting && at - beat.sentAt > this.#dependencies.everyMs + patienceMs) this.#send(group, beat);
			if (beat.dueAt > at || beat.isWaiting) continue;
			// An audience that was missed several times gets one heartbeat.
			beat.dueAt = Math.max(beat.dueAt + this.#dependencies.everyMs, at);
			if (isFresh(beat.asked, group, at)) this.#send(group, beat, beat.asked.frame);
			else {
				beat.isWaiting = true;
				void this.#questions.run("", () => this.#ask(group));
			}
		}
	}

	#send(group: G, beat: Beat, stats?: Buffer): void {
		beat.sentAt = monotonic();
		this.#dependencies.send(group, stats);
	}

	/** The first heartbeat of an audience comes at a random time of the interval. */
	#beatOf({ audience }: G, at: number): Beat {
		const known = this.#beats.get(audience);
		if (known) return known;
		const beat = { dueAt: at + Math.random() * this.#dependencies.everyMs, sentAt: at, isWaiting: false };
		this.#beats.set(audience, beat);
		return beat;
	}

	async #ask(group: G): Promise<void> {
		if (this.#isStopped) return;
		const at = monotonic();
		const stats = await this.#dependencies.statsOf(group.audience.principal);
		const beat = this.#beatOf(group, at);
		beat.isWaiting = false;
		if (stats) beat.asked = { frame: frame("stats_updated", JSON.stringify(stats)), at, day: today() };
		else delete beat.asked;
		this.#send(group, beat, beat.asked?.frame);
	}
}

/** Whether the statistics are those that would be answered now. */
function isFresh(asked: SentStats | undefined, { changedAt }: HeartbeatGroup, at: number): asked is SentStats {
	if (!asked || at - asked.at > maxAgeMs || asked.day !== today()) return false;
	return asked.at > changedAt + settlingMs;
}

function today(): string {
	return isoTime().slice(0, "2026-01-01".length);
}
