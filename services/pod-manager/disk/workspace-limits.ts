/**
 * Ends sessions whose workspace is larger than it may be, or cannot be measured. It measures the workspaces of living pods each minute,
 * and at once when the room on the disk has become much less since: somebody writes fast then. Sessions that take long to measure are
 * measured beside the others, so that they delay each other only.
 */
import { monotonic, sleep } from "#shared/base/clock.ts";
import { bound } from "#shared/base/bounds.ts";
import type { OversizedWorkspace, UsedWorkspace } from "#shared/contracts/workspaces/workspace-work.ts";
import { DeduplicatingLog, sentenceOf } from "../deduplicating-log.ts";
import type { MeasuredFiles } from "../pod-runtime.ts";
import { IncompleteMeasurements } from "./incomplete-measurements.ts";
import {
	type LivingWorkspace,
	livingWorkspaces,
	type LivingWorkspacesDependencies,
	measuredWorkspace,
} from "./living-workspaces.ts";
import { completed, type FirstMeasurement, firstMeasurement, isTooLarge } from "./tidy-time.ts";

const measuredEachMs = 60_000;
/** The longest time of a measurement in each lane, in milliseconds. One that takes longer changes to the slow lane until its launch ends. */
const longestMs = { quick: 5_000, slow: bound.measureMs } as const;
type Lane = keyof typeof longestMs;
/** A measurement is followed by a pause of this many times its duration: a lane takes at most a fifth of a processor. */
const pauseShare = 4;
const megabyte = 1_000_000;
/** The loss of room after which workspaces are measured at once, in bytes. */
const fastBytes = 256 * megabyte;

export interface WorkspaceLimitsDependencies extends LivingWorkspacesDependencies {
	/** The bytes of a workspace whose session asked for none; absent: it has no limit. */
	readonly usualBytes: number | undefined;
	/** The free bytes of the disk. */
	readonly free: () => Promise<number>;
	/** Stops a session; resolves to whether it was to run until then. */
	readonly stop: (oversized: OversizedWorkspace) => Promise<boolean>;
	readonly write: (sentence: string) => void;
	/** The pause between two looks at the room of the disk, in milliseconds; default 5000. */
	readonly lookMs?: number;
}

/** A session that was measured by this process. */
interface Known {
	readonly generation: number;
	readonly first: FirstMeasurement;
	readonly lane: Lane;
}

/** The rounds of one lane. */
interface Rounds {
	/** The round under way. */
	current: Promise<void> | undefined;
	dueAt: number;
	/** Whether much was written since the last round began. */
	isFast: boolean;
}

/** The limits of one process. The pod manager stops them. */
export class WorkspaceLimits {
	readonly #given: WorkspaceLimitsDependencies;
	readonly #log: DeduplicatingLog;
	readonly #stopping = new AbortController();
	/** The sessions in the order of their last measurements. */
	readonly #known = new Map<string, Known>();
	readonly #incomplete = new IncompleteMeasurements();
	readonly #rounds: Readonly<Record<Lane, Rounds>>;
	readonly #loop: Promise<void>;

	/** Starts at once. */
	constructor(given: WorkspaceLimitsDependencies) {
		this.#given = given;
		this.#log = new DeduplicatingLog(given.write);
		const rounds = (): Rounds => ({ current: undefined, dueAt: monotonic() + measuredEachMs, isFast: false });
		this.#rounds = { quick: rounds(), slow: rounds() };
		this.#loop = this.#run();
	}

	/** Ends; resolves when the rounds under way are over. */
	async stop(): Promise<void> {
		this.#stopping.abort();
		await this.#loop;
		await Promise.all([this.#rounds.quick.current, this.#rounds.slow.current]);
	}

	/** Looks at the room whatever the measurements take. */
	async #run(): Promise<void> {
		const { signal } = this.#stopping;
		const { lookMs = 5_000 } = this.#given;
		let room = 0;
		while (!signal.aborted) {
			await sleep(lookMs, signal);
			if (signal.aborted) return;
			const free = await this.#given.free().catch((error: unknown) => this.#failed(error));
			// Room that comes back counts again when it goes.
			room = Math.max(room, free ?? 0);
			const isFast = free !== undefined && room - free >= fastBytes;
			if (isFast) room = free;
			for (const lane of ["quick", "slow"] as const) this.#look(lane, isFast);
		}
	}

	#look(lane: Lane, isFast: boolean): void {
		const rounds = this.#rounds[lane];
		rounds.isFast ||= isFast;
		if (rounds.current || (monotonic() < rounds.dueAt && !rounds.isFast)) return;
		const began = monotonic();
		rounds.dueAt = began + measuredEachMs;
		const wasFast = rounds.isFast;
		rounds.isFast = false;
		rounds.current = this.#round(lane, wasFast)
			.catch((error: unknown) => this.#failed(error))
			.finally(() => (rounds.current = undefined));
	}

	#failed(error: unknown): undefined {
		if (!this.#stopping.signal.aborted) this.#log.write(`Cannot measure the workspaces: ${sentenceOf(error)}`);
	}

	/** Measures the sessions of a lane; one that turns out to be slow is left to the other lane. */
	async #round(lane: Lane, isFast: boolean): Promise<void> {
		const { signal } = this.#stopping;
		const living = await livingWorkspaces(this.#given, this.#known);
		if (lane === "quick") this.#keepOnly(living);
		for (const one of living) {
			if (signal.aborted) return;
			if (this.#limitOf(one) === undefined || this.#laneOf(one) !== lane) continue;
			const began = monotonic();
			const terms = { signal, withinMs: longestMs[lane], write: (words: string) => this.#log.write(words) };
			const measured = await measuredWorkspace(this.#given, one, terms);
			if (measured) await this.#judge(one, measured, isFast);
			const took = monotonic() - began;
			// One that leaves this lane is the last time that the others wait for it.
			await sleep(this.#laneOf(one) === lane ? took * pauseShare : took, signal);
		}
	}

	async #judge(one: LivingWorkspace, measured: MeasuredFiles, isFast: boolean): Promise<void> {
		const { session } = one;
		const before = this.#knownOf(one) ?? firstOf(one, measured);
		if (measured.partial === "time" && before.lane === "quick") {
			this.#remember(session, { ...before, lane: "slow" });
			return;
		}
		const known = { ...before, first: completed(before.first, measured) };
		this.#remember(session, known);
		const limit = this.#limitOf(one) ?? Infinity;
		// It has at least these bytes, whether or not the rest is held against it.
		const found = { bytes: measured.bytes, partial: this.#incomplete.noted(session, measured.partial) };
		if (isTooLarge(limit, known.first, found, isFast)) await this.#stop(session, limit, found);
	}

	async #stop(session: string, limit: number, { bytes, partial }: MeasuredFiles): Promise<void> {
		const isUnmeasured = partial !== undefined && bytes <= limit;
		const oversized = { session, bytes, limit_bytes: limit, ...(isUnmeasured && { partial }) };
		if (!(await this.#given.stop(oversized))) return;
		this.#known.delete(session);
		this.#incomplete.forget(session);
		const [has, may] = [bytes, limit].map((size) => Math.ceil(size / megabyte));
		const reason = isUnmeasured ? `cannot be measured (${partial})` : `has ${has} MB`;
		this.#given.write(`Session "${session}" was stopped: its workspace ${reason}, and may have ${may} MB`);
	}

	#limitOf({ disk_bytes }: UsedWorkspace): number | undefined {
		return disk_bytes ?? this.#given.usualBytes;
	}

	/** Returns what is known of this launch. */
	#knownOf({ session, generation }: LivingWorkspace): Known | undefined {
		const known = this.#known.get(session);
		return known?.generation === generation ? known : undefined;
	}

	#laneOf(one: LivingWorkspace): Lane {
		return this.#knownOf(one)?.lane ?? "quick";
	}

	/** Puts the session at the end of the order. */
	#remember(session: string, known: Known): void {
		this.#known.delete(session);
		this.#known.set(session, known);
	}

	#keepOnly(living: readonly LivingWorkspace[]): void {
		const sessions = new Set(living.map(({ session }) => session));
		for (const session of this.#known.keys()) if (!sessions.has(session)) this.#known.delete(session);
		this.#incomplete.keepOnly(sessions);
	}
}

function firstOf({ generation }: LivingWorkspace, measured: MeasuredFiles): Known {
	return { generation, first: firstMeasurement(measured, generation), lane: "quick" };
}
