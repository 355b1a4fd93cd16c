/**
 * Guards the disk that the sessions of this host share. While less room is left than `disk.low_mb`, it measures the workspaces of
 * living pods, one after the other, and lets the sessions service stop the one that grows. While there is room it
 * only asks the file system how much there is.
 */
import { monotonic, sleep } from "#shared/base/clock.ts";
import type { MeasuredSession, StoppedGrower } from "#shared/contracts/workspaces/workspace-work.ts";
import { DeduplicatingLog, sentenceOf } from "../deduplicating-log.ts";
import type { MeasuredFiles } from "../pod-runtime.ts";
import { IncompleteMeasurements } from "./incomplete-measurements.ts";
import { livingWorkspaces, type LivingWorkspacesDependencies, measuredWorkspace } from "./living-workspaces.ts";

/** The pause between two looks in milliseconds: while there is room, and while there is none. */
const pauseMs = { room: 5_000, short: 2_000 } as const;
/** The time of one round of measurements in milliseconds; the workspaces that are left come first in the next one. */
const roundMs = 20_000;
/** The longest time of one measurement in milliseconds, so that no session keeps the others from being measured. */
const longestMs = 4_000;
/** The growth that counts, as a share of the room below which the disk is short. */
const leastShare = 1 / 8;
const megabyte = 1_000_000;

export interface DiskGuardDependencies extends LivingWorkspacesDependencies {
	/** The free MB below which the disk is short; 0: never. */
	readonly lowMb: number;
	readonly free: () => Promise<number>;
	/** Stops the session that grew most. */
	readonly stopLargest: (measured: MeasuredSession[], leastBytes: number) => Promise<readonly StoppedGrower[]>;
	readonly write: (sentence: string) => void;
}

/** The guard of one process. The pod manager stops it. */
export class DiskGuard {
	readonly #given: DiskGuardDependencies;
	readonly #log: DeduplicatingLog;
	readonly #stopping = new AbortController();
	/** The last sizes by session while the disk is short, in the order of their measurements; undefined: it could not be measured. */
	readonly #before = new Map<string, number | undefined>();
	readonly #incomplete = new IncompleteMeasurements();
	readonly #loop: Promise<void>;

	/** Starts at once. */
	constructor(given: DiskGuardDependencies) {
		this.#given = given;
		this.#log = new DeduplicatingLog(given.write);
		this.#loop = given.lowMb > 0 ? this.#run() : Promise.resolve();
	}

	/** Ends; resolves when the round under way is over. */
	async stop(): Promise<void> {
		this.#stopping.abort();
		await this.#loop;
	}

	async #run(): Promise<void> {
		const { signal } = this.#stopping;
		while (!signal.aborted) await sleep((await this.#look()) ? pauseMs.short : pauseMs.room, signal);
	}

	/** Resolves to whether the disk is short. */
	async #look(): Promise<boolean> {
		try {
			const isShort = (await this.#given.free()) < this.#given.lowMb * megabyte;
			if (isShort) await this.#round();
			else this.#forget();
			return isShort;
		} catch (error) {
			if (!this.#stopping.signal.aborted) this.#log.write(`Cannot guard the disk: ${sentenceOf(error)}`);
			return false;
		}
	}

	/** Measures, and asks for a stop from the second round on: the first one does not show who writes now. */
	async #round(): Promise<void> {
		const { lowMb, stopLargest, write } = this.#given;
		const isFirst = this.#before.size === 0;
		const measured = await this.#measure();
		this.#stopping.signal.throwIfAborted();
		if (isFirst || measured.length === 0) return;
		for (const stopped of await stopLargest(measured, lowMb * megabyte * leastShare)) {
			write(
				`The disk is nearly full: session "${stopped.session}" was stopped, because ${reasonOf(stopped, measured)}`,
			);
			this.#forget();
		}
	}

	/** Measures until the time of the round is over; the one that was measured longest ago comes first. */
	async #measure(): Promise<MeasuredSession[]> {
		const { signal } = this.#stopping;
		const endAt = monotonic() + roundMs;
		const measured: MeasuredSession[] = [];
		const terms = { signal, withinMs: longestMs, write: (words: string) => this.#log.write(words) };
		for (const one of await livingWorkspaces(this.#given, this.#before)) {
			if (signal.aborted || monotonic() > endAt) break;
			const found = await measuredWorkspace(this.#given, one, terms);
			measured.push(...this.#noted(one.session, found));
		}
		return measured;
	}

	/** Returns the measurement for a decision; none when it is incomplete and not yet held against the session. */
	#noted(session: string, found: MeasuredFiles | undefined): MeasuredSession[] {
		const before = this.#before.get(session);
		this.#before.delete(session);
		this.#before.set(session, found?.partial ? undefined : found?.bytes);
		if (!found) return [];
		const { bytes } = found;
		const partial = this.#incomplete.noted(session, found.partial);
		if (partial) return [{ session, bytes, partial }];
		return found.partial ? [] : [{ session, bytes, ...(before !== undefined && { before }) }];
	}

	#forget(): void {
		this.#before.clear();
		this.#incomplete.keepOnly(new Set());
	}
}

function reasonOf({ session, grown_bytes: grown }: StoppedGrower, measured: readonly MeasuredSession[]): string {
	const partial = measured.find((one) => one.session === session)?.partial;
	if (partial) return `its workspace cannot be measured (${partial})`;
	return `its workspace grew by ${Math.ceil(grown / megabyte)} MB`;
}
