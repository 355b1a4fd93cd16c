/**
 * Ends sessions whose workspace is larger than it may be. It measures the workspaces of living pods each minute, and at once when
 * the room on the disk has become much less since: somebody writes fast then. A session that is started again with too large a
 * workspace has some minutes in which a person can remove files.
 */
import { monotonic, sleep } from "#shared/base/clock.ts";
import type { OversizedWorkspace, UsedWorkspace } from "#shared/contracts/workspaces/workspace-work.ts";
import { DeduplicatingLog, sentenceOf } from "../deduplicating-log.ts";
import { livingWorkspaces, type LivingWorkspacesDependencies } from "./living-workspaces.ts";

const measuredEachMs = 60_000;
/** A round that took long is followed by a pause of this many times its duration. */
const pauseShare = 4;
const maxPauseMs = 30_000;
const megabyte = 1_000_000;
/** The loss of room after which workspaces are measured at once, in bytes. */
const fastBytes = 256 * megabyte;
/** The time in which files can be removed from a workspace that was too large when its session started, in milliseconds. */
const tidyMs = 10 * 60_000;
/** The growth that such a workspace may have meanwhile, as a share of its limit. */
const tidyShare = 1 / 16;

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

/** The first measurement of a session by this process. */
interface First {
	/** 0 for the first launch: whatever is there was written by the session itself. */
	readonly bytes: number;
	readonly at: number;
}

/** The limits of one process. The pod manager stops them. */
export class WorkspaceLimits {
	readonly #given: WorkspaceLimitsDependencies;
	readonly #log: DeduplicatingLog;
	readonly #stopping = new AbortController();
	/** The first measurement by session, in the order of their last ones. */
	#first = new Map<string, First>();
	readonly #loop: Promise<void>;

	/** Starts at once. */
	constructor(given: WorkspaceLimitsDependencies) {
		this.#given = given;
		this.#log = new DeduplicatingLog(given.write);
		this.#loop = this.#run();
	}

	/** Ends; resolves when the round under way is over. */
	async stop(): Promise<void> {
		this.#stopping.abort();
		await this.#loop;
	}

	async #run(): Promise<void> {
		const { signal } = this.#stopping;
		let dueAt = monotonic() + measuredEachMs;
		const { lookMs = 5_000 } = this.#given;
		let room = 0;
		while (!signal.aborted) {
			await sleep(lookMs, signal);
			try {
				const free = await this.#given.free();
				// Room that comes back counts again when it goes.
				room = Math.max(room, free);
				if (monotonic() < dueAt && room - free < fastBytes) continue;
				const began = monotonic();
				await this.#round(signal);
				room = free;
				await sleep(Math.min((monotonic() - began) * pauseShare, maxPauseMs), signal);
				dueAt = began + measuredEachMs;
			} catch (error) {
				if (!signal.aborted) this.#log.write(`Cannot measure the workspaces: ${sentenceOf(error)}`);
			}
		}
	}

	async #round(signal: AbortSignal): Promise<void> {
		const seen = new Map<string, First>();
		const { usualBytes } = this.#given;
		const limitOf = ({ disk_bytes }: UsedWorkspace) => disk_bytes ?? usualBytes;
		const isLimited = (used: UsedWorkspace) => limitOf(used) !== undefined;
		for await (const measured of livingWorkspaces(this.#given, this.#first, signal, isLimited)) {
			const { session, bytes, generation } = measured;
			const limit = limitOf(measured);
			const first = this.#first.get(session) ?? { bytes: generation > 1 ? bytes : 0, at: monotonic() };
			seen.set(session, first);
			if (limit === undefined || bytes <= allowedNow(limit, first)) continue;
			if (!(await this.#given.stop({ session, bytes, limit_bytes: limit }))) continue;
			seen.delete(session);
			const [has, may] = [bytes, limit].map((size) => Math.ceil(size / megabyte));
			this.#given.write(`Session "${session}" was stopped: its workspace has ${has} MB, and may have ${may} MB`);
		}
		if (!signal.aborted) this.#first = seen;
	}
}

function allowedNow(limit: number, first: First): number {
	const wasTooLarge = first.bytes > limit;
	return wasTooLarge && monotonic() - first.at < tidyMs ? first.bytes + limit * tidyShare : limit;
}
