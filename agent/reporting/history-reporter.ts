/** Tells the platform what the pod logs, says and changes, so that it can be read when the pod is gone. */
import { every, monotonic, sleep, type Timer } from "#shared/clock.ts";
import type { ChronicleReport } from "#shared/contracts/chronicles.ts";
import type { DiffPatch } from "#shared/contracts/session-diff.ts";
import type { ConversationTurn } from "#shared/contracts/sessions.ts";
import { SingleFlight } from "#shared/single-flight.ts";
import { Backoff } from "./backoff.ts";
import { type NumberedReport, packReports, patchReports } from "./history-report.ts";
import type { HistorySpool } from "./history-spool.ts";
import type { LogBuffer } from "../io/log-buffer.ts";
import type { PlatformClient } from "./platform-client.ts";
import type { TimelineLog } from "../timeline/timeline-log.ts";

/** A patch, for which git is started several times, is made no more often. */
const collectMs = 1_000;
/** After each time something was collected: what is new by then goes in one report. */
const pauseMs = 100;
/** Time without a report after which the platform is asked whether it is there. */
const pingMs = 30_000;
/** How long the end of the pod waits for its last reports; what is not heard by then waits on disk. */
const patienceMs = 2_000;
/** How much of that git may take; what became of the launch is told without the last patch then. */
const lastPatchMs = 1_500;
/** How long it is asked for whether the session is wanted still. */
const askMs = 1_000;

export interface Told {
	log: LogBuffer;
	/** Oldest first; only ever longer, but for the oldest ones. */
	turns: () => readonly ConversationTurn[];
	/** Everything that has changed since the last commit. */
	patch: () => Promise<DiffPatch>;
	timeline: TimelineLog;
}

/** The number of a report that was made already. */
type Ping = { launch: number; n: number };

export class HistoryReporter {
	readonly #told: Told;
	readonly #spool: HistorySpool;
	readonly #client: PlatformClient;
	readonly #timer: Timer;
	/** Aborted when the pod ends: then the platform is asked once more, at once. */
	readonly #ending = new AbortController();
	#logged = 0;
	#recorded = 0;
	#turn: string | undefined;
	/** The patch told last. */
	#patch: string | undefined;
	#isPatchDue = false;
	/** No patch was made since the last tick. */
	#mayPatch = false;
	/** The end has not waited for the patch that is being made. */
	#isPatchLate = false;
	readonly #collecting = new SingleFlight(() => this.#collectAndPause());
	readonly #delivering = new SingleFlight(
		() => this.#deliverAll(),
		(error) => this.#sayBroken(error),
	);
	#askedAt = monotonic();
	#isSpoolBroken = false;

	constructor(told: Told, spool: HistorySpool, client: PlatformClient) {
		this.#told = told;
		this.#spool = spool;
		this.#client = client;
		this.#turn = spool.newestTurn;
		this.#timer = every(collectMs, () => {
			this.#mayPatch = true;
			this.wake();
		});
		this.#deliver();
	}

	/** Something may be new. What comes while it is collected is collected next. */
	wake(): void {
		this.#collecting.request();
	}

	/** Whether the platform knows the session still; true when it cannot be asked. */
	async isWanted(): Promise<boolean> {
		const asked = this.#client.post("history", this.#spool.newest).then((outcome) => outcome !== "forbidden");
		return Promise.race([asked, sleep(askMs).then(() => true)]);
	}

	/**
	 * Reports the last things; what is not acknowledged soon waits on disk. The client must be open.
	 * @param chronicle What became of the launch.
	 */
	async drain(chronicle?: ChronicleReport): Promise<void> {
		this.#timer.cancel();
		this.#ending.abort();
		const over = sleep(patienceMs);
		await Promise.race([this.#collectLast(), sleep(lastPatchMs)]);
		this.#isPatchLate = true;
		const last = chronicle ? [{ logs: [], turns: [], chronicle }] : [];
		await this.#spool.add(last).catch((error: unknown) => this.#sayBroken(error));
		// After a delivery under way, which stops at the first report that is not taken.
		const delivered = this.#delivering.run().catch(() => {});
		await Promise.race([delivered, over]);
	}

	/** Resolves after the client was closed. */
	async close(): Promise<void> {
		await this.#delivering.settled();
		await this.#spool.close().catch((error: unknown) => this.#sayBroken(error));
	}

	async #collectLast(): Promise<void> {
		await this.#collecting.settled();
		this.#mayPatch = true;
		await this.#collect();
	}

	async #collectAndPause(): Promise<void> {
		await this.#collect();
		await sleep(pauseMs, this.#ending.signal);
	}

	async #collect(): Promise<void> {
		try {
			await this.#spoolNews();
			this.#deliver();
			await this.#spoolPatch();
			this.#isSpoolBroken = false;
		} catch (error) {
			// Nothing counts as told: the next time it is tried again.
			this.#sayBroken(error);
		}
		this.#deliver();
	}

	async #spoolNews(): Promise<void> {
		const { log, turns, timeline } = this.#told;
		const [logged, recorded] = [log.added, timeline.added];
		const newTurns = after(turns(), this.#turn);
		await this.#spool.add(packReports(log.after(this.#logged), newTurns, timeline.after(this.#recorded)));
		this.#logged = logged;
		this.#recorded = recorded;
		this.#turn = newTurns.at(-1)?.id ?? this.#turn;
		if (newTurns.some(({ role }) => role === "assistant")) this.#isPatchDue = true;
	}

	async #spoolPatch(): Promise<void> {
		if (!this.#isPatchDue || !this.#mayPatch) return;
		this.#isPatchDue = false;
		this.#mayPatch = false;
		const found = await this.#told.patch().catch(() => undefined);
		if (!found || found.patch === this.#patch || this.#isPatchLate) return;
		await this.#spool.add(patchReports(found));
		this.#patch = found.patch;
	}

	/** A delivery under way sends what comes meanwhile too. */
	#deliver(): void {
		if (!this.#delivering.isRunning) this.#delivering.request();
	}

	async #deliverAll(): Promise<void> {
		const backoff = new Backoff();
		const { signal } = this.#client;
		for (let report = this.#next(); report && !signal.aborted; report = this.#next()) {
			const outcome = await this.#client.post("history", report);
			this.#askedAt = monotonic();
			const isDone = outcome === "accepted" || outcome === "rejected";
			if (outcome === "stale" || (!isDone && this.#ending.signal.aborted)) return;
			if (isDone && "logs" in report) await this.#spool.acknowledge(report);
			if (isDone) backoff.reset();
			else await backoff.wait(AbortSignal.any([signal, this.#ending.signal]));
		}
	}

	#next(): NumberedReport | Ping | undefined {
		return this.#spool.next() ?? this.#ping();
	}

	/** A report that says nothing new: whether the platform is there, and this pod still the session's. */
	#ping(): Ping | undefined {
		return monotonic() - this.#askedAt >= pingMs ? this.#spool.newest : undefined;
	}

	#sayBroken(error: unknown): void {
		if (this.#isSpoolBroken) return;
		this.#isSpoolBroken = true;
		this.#told.log.add("ERROR", "session-agent", `The history cannot be kept: ${String(error)}`);
	}
}

/** The turns after one; all when it is not there. */
function after(turns: readonly ConversationTurn[], id: string | undefined): readonly ConversationTurn[] {
	return turns.slice(turns.findLastIndex((turn) => turn.id === id) + 1);
}
