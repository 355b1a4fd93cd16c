/** Reports the pod's log, conversation and changes to the platform, so that they can be read when the pod is gone. */
import { every, monotonic, sleep, type Timer } from "#shared/base/clock.ts";
import type { ChronicleReport } from "#shared/contracts/sessions/chronicles.ts";
import type { DiffPatch } from "#shared/contracts/sessions/session-diff.ts";
import type { ConversationTurn } from "#shared/contracts/sessions/sessions.ts";
import { SingleFlight } from "#shared/base/concurrency/single-flight.ts";
import { Backoff } from "#shared/base/concurrency/backoff.ts";
import { type NumberedReport, packReports, type PatchBase, patchReports } from "./history-report.ts";
import type { HistorySpool } from "./history-spool.ts";
import { type PatchEvent, type PatchPace, patchPaces } from "./patch-pace.ts";
import type { LogBuffer } from "#shared/wire/pod/log/log-buffer.ts";
import type { DeliveryOutcome, PlatformClient } from "#shared/model-proxy/platform/platform-client.ts";
import type { TimelineLog } from "../timeline/timeline-log.ts";

/** The shortest interval between patches, because a patch starts git several times. */
const collectMs = 1_000;
/** The pause after each collection: everything that is new by then is in one report. */
const pauseMs = 100;
/** The time without a report after which a ping asks whether the platform can be reached. */
const pingMs = 30_000;
/** How long the end of the pod waits for its last reports; the others wait on disk. */
const patienceMs = 2_000;
/** The part of that time for git. After it the end of the launch is reported without the last patch. */
const lastPatchMs = 1_500;
/** The time limit of the question whether the session still exists. */
const askMs = 1_000;

export interface HistorySources {
	log: LogBuffer;
	/** The turns, oldest first. New ones are appended, and the oldest ones may be removed. */
	turns: () => readonly ConversationTurn[];
	/** Resolves with everything that has changed since the base. */
	patch: (base: PatchBase) => Promise<DiffPatch>;
	timeline: TimelineLog;
}

/** The number of a report that was made before. */
type Ping = { launch: number; n: number };

/** Collects and sends the reports. It is drained and then closed at the end of the pod. */
export class HistoryReporter {
	readonly #sources: HistorySources;
	readonly #spool: HistorySpool;
	readonly #client: PlatformClient;
	readonly #timer: Timer;
	/** It is aborted when the pod ends; the platform is then asked once more, at once. */
	readonly #ending = new AbortController();
	#logged = 0;
	#recorded = 0;
	#turn: string | undefined;
	readonly #patches = new Map<PatchBase, string>();
	#pace: PatchPace = "fresh";
	readonly #collecting = new SingleFlight(() => this.#collectAndPause());
	readonly #delivering = new SingleFlight(
		() => this.#deliverAll(),
		(error) => this.#sayBroken(error),
	);
	#askedAt = monotonic();
	#isSpoolBroken = false;

	constructor(sources: HistorySources, spool: HistorySpool, client: PlatformClient) {
		this.#sources = sources;
		this.#spool = spool;
		this.#client = client;
		this.#turn = spool.newestTurn;
		this.#timer = every(collectMs, () => {
			this.#enter("ticked");
			this.wake();
		});
		this.#deliver();
	}

	/** Collects soon, because something may be new. What is new during a collection is collected next. */
	wake(): void {
		this.#collecting.request();
	}

	/** Whether the session still exists at the platform; true when the platform cannot be asked. */
	async isWanted(): Promise<boolean> {
		const asked = this.#client.post("history", this.#spool.newest).then((outcome) => outcome !== "forbidden");
		return Promise.race([asked, sleep(askMs).then(() => true)]);
	}

	/** Reports the last things; what is not acknowledged soon waits on disk. The client must be open. */
	async drain(chronicle?: ChronicleReport): Promise<void> {
		this.#timer.cancel();
		this.#ending.abort();
		const over = sleep(patienceMs);
		await Promise.race([this.#collectLast(), sleep(lastPatchMs)]);
		this.#enter("ended");
		const last = chronicle ? [{ logs: [], turns: [], chronicle }] : [];
		await this.#spool.add(last).catch((error: unknown) => this.#sayBroken(error));
		// The last delivery follows the one that is under way, which stops at the first report that is not accepted.
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
		this.#enter("ticked");
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
			// Nothing counts as reported, so the next collection tries again.
			this.#sayBroken(error);
		}
		this.#deliver();
	}

	async #spoolNews(): Promise<void> {
		const { log, turns, timeline } = this.#sources;
		const [logged, recorded] = [log.added, timeline.added];
		const newTurns = after(turns(), this.#turn);
		await this.#spool.add(packReports(log.after(this.#logged), newTurns, timeline.after(this.#recorded)));
		this.#logged = logged;
		this.#recorded = recorded;
		this.#turn = newTurns.at(-1)?.id ?? this.#turn;
		if (newTurns.some(({ role }) => role === "assistant")) this.#enter("turnEnded");
	}

	async #spoolPatch(): Promise<void> {
		if (this.#pace !== "due") return;
		this.#enter("begun");
		await this.#spoolPatchAgainst("last-commit");
		// It fails without a remote; the question is then answered without a patch, too.
		await this.#spoolPatchAgainst("default-branch");
	}

	async #spoolPatchAgainst(base: PatchBase): Promise<void> {
		const found = await this.#sources.patch(base).catch(() => undefined);
		if (!found || found.patch === this.#patches.get(base) || this.#isClosed) return;
		await this.#spool.add(patchReports(found, base));
		this.#patches.set(base, found.patch);
	}

	#enter(event: PatchEvent): void {
		this.#pace = patchPaces[event][this.#pace];
	}

	/** The patch that is being made came too late for the end. */
	get #isClosed(): boolean {
		return this.#pace === "closed";
	}

	/** A delivery that is under way also sends what is added meanwhile. */
	#deliver(): void {
		if (!this.#delivering.isRunning) this.#delivering.request();
	}

	async #deliverAll(): Promise<void> {
		const backoff = new Backoff();
		const { signal } = this.#client;
		for (let report = this.#next(); report && !signal.aborted; report = this.#next()) {
			const outcome = await this.#client.post("history", report);
			this.#askedAt = monotonic();
			if (outcome === "stale") return;
			const isDone = "logs" in report ? await this.#settle(report, outcome) : outcome === "accepted";
			if (!isDone && this.#ending.signal.aborted) return;
			if (isDone) backoff.reset();
			else await backoff.wait(AbortSignal.any([signal, this.#ending.signal]));
		}
	}

	/** Whether the report waits no longer. */
	async #settle(report: NumberedReport, outcome: DeliveryOutcome): Promise<boolean> {
		if (outcome === "accepted" || outcome === "rejected") {
			await this.#spool.acknowledge(report);
			return true;
		}
		const aside = outcome === "failed" ? await this.#spool.failed(report) : undefined;
		if (aside === undefined) return false;
		const { launch, n } = report;
		const sentence = `The platform failed on report ${n} of launch ${launch} every time; it is in "${aside}", and is not sent again`;
		this.#sources.log.add("ERROR", "session-agent", sentence);
		return true;
	}

	#next(): NumberedReport | Ping | undefined {
		return this.#spool.next() ?? this.#ping();
	}

	/** A report without content asks whether the platform can be reached and this pod is still the session's. */
	#ping(): Ping | undefined {
		return monotonic() - this.#askedAt >= pingMs ? this.#spool.newest : undefined;
	}

	#sayBroken(error: unknown): void {
		if (this.#isSpoolBroken) return;
		this.#isSpoolBroken = true;
		this.#sources.log.add("ERROR", "session-agent", `The history cannot be stored: ${String(error)}`);
	}
}

/** Returns the turns after the named one, or all turns when it is not there. */
function after(turns: readonly ConversationTurn[], id: string | undefined): readonly ConversationTurn[] {
	return turns.slice(turns.findLastIndex((turn) => turn.id === id) + 1);
}
