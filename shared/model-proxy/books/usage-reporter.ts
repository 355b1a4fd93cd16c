/** Reports the use of the session's models: at the end of each turn, and soon after calls outside of turns. */
import { every, monotonic, sleep, type Timer } from "#shared/base/clock.ts";
import { SingleFlight } from "#shared/base/concurrency/single-flight.ts";
import { noTokens } from "#shared/wire/models/token-counts.ts";
import { Backoff } from "#shared/base/concurrency/backoff.ts";
import type { LogBuffer } from "#shared/wire/pod/log/log-buffer.ts";
import type { CallUnderWay, MeteredCall } from "#shared/model-proxy/metering/metered-call.ts";
import type { TokenMeter } from "#shared/model-proxy/metering/token-meter.ts";
import type { PlatformClient } from "../platform/platform-client.ts";
import type { Use } from "./usage-report.ts";
import type { UsageSpool } from "./usage-spool.ts";

/** How soon calls outside of turns, such as those for titles and summaries, are reported. */
const lookMs = 1_000;
/** The interval of reports during a long turn. */
const withinTurnMs = 30_000;
/** The limit on any wait for the platform. At the end of the pod, what is not acknowledged by then waits on disk. */
const patienceMs = 2_000;

export interface UsageReporterDependencies {
	readonly client: PlatformClient;
	readonly log: LogBuffer;
	readonly meter: TokenMeter;
}

/** Sends one report at a time. It is drained and then closed at the end of the pod. */
export class UsageReporter {
	readonly #spool: UsageSpool;
	readonly #launch: number;
	readonly #client: PlatformClient;
	readonly #log: LogBuffer;
	readonly #meter: TokenMeter;
	readonly #timer: Timer;
	#isInTurn = false;
	#reportedAt = monotonic();
	readonly #delivering = new SingleFlight(
		() => this.#deliverAll(),
		(error) => this.#sayBroken(error),
	);
	#isBroken = false;
	#isOver = false;

	/** Delivers first what earlier pods could not. @param launch The number of this launch. */
	constructor(spool: UsageSpool, launch: number, { client, log, meter }: UsageReporterDependencies) {
		this.#spool = spool;
		this.#launch = launch;
		this.#client = client;
		this.#log = log;
		this.#meter = meter;
		this.#timer = every(lookMs, () => this.#look());
		this.#deliver();
	}

	/** Records a call that begins, and what pays for it. Resolves when the record is on disk, or cannot be written. */
	begin(call: CallUnderWay, reservation?: string): Promise<void> {
		if (!call.isEstimated) this.#meter.begin(call.id, call.counts);
		return this.#keep(this.#spool.begin(call.id, this.#useOf(call, reservation)));
	}

	/** Records a call that has ended. @param reservation The id of the reservation that pays for it, if one does. */
	add(call: MeteredCall, reservation?: string): void {
		const { id, counts } = call;
		this.#meter.end(id, counts);
		void this.#keep(this.#spool.add(this.#useOf({ ...call, counts: counts ?? noTokens }, reservation), id));
	}

	/** Whether the platform has received everything so far. Resolves when it has, or soon. */
	async reported(): Promise<boolean> {
		this.#deliver();
		await Promise.race([this.#delivering.settled(), sleep(patienceMs)]);
		return this.#spool.isEmpty;
	}

	/** Reports soon and not only at the end of the turn, because unreported usage is lost with this disk. */
	reportSoon(): void {
		if (!this.#spool.isEmpty) this.#deliver();
	}

	began(): void {
		this.#isInTurn = true;
		this.#reportedAt = monotonic();
	}

	ended(): void {
		this.#isInTurn = false;
		if (this.#meter.total) void this.#keep(this.#spool.addMessage());
		this.#deliver();
	}

	/** Reports the last uses; what is not acknowledged soon waits on disk. The client must be open. */
	async drain(): Promise<void> {
		this.#timer.cancel();
		this.#isOver = true;
		await this.reported();
	}

	/** Resolves after the client was closed. */
	async close(): Promise<void> {
		await this.#delivering.settled();
		await this.#spool.close().catch((error: unknown) => this.#sayBroken(error));
	}

	#look(): void {
		if (this.#spool.isEmpty || (this.#isInTurn && monotonic() - this.#reportedAt < withinTurnMs)) return;
		this.#deliver();
	}

	#useOf({ model, location, counts, isEstimated }: Omit<CallUnderWay, "id">, reservation: string | undefined): Use {
		const held = reservation === undefined ? {} : { reservation_id: reservation };
		return { launch: this.#launch, model, location, counts, ...held, ...(isEstimated && { isEstimated }) };
	}

	/** Sends everything, one report after the other. */
	#deliver(): void {
		this.#reportedAt = monotonic();
		this.#delivering.request();
	}

	/** Returns early when the platform cannot be reached and the pod ends. */
	async #deliverAll(): Promise<void> {
		const backoff = new Backoff();
		const { signal } = this.#client;
		while (!signal.aborted) {
			const report = await this.#spool.next();
			if (!report) return;
			const outcome = await this.#client.post("usage", report);
			if (outcome === "accepted" || outcome === "rejected") {
				await this.#spool.acknowledge(report);
				this.#isBroken = false;
				backoff.reset();
			} else if (this.#isOver) return;
			else await backoff.wait(signal);
		}
	}

	#keep(writing: Promise<void>): Promise<void> {
		// The use counts as long as this process lives, even if it could not be written.
		return writing.catch((error: unknown) => this.#sayBroken(error));
	}

	#sayBroken(error: unknown): void {
		if (this.#isBroken) return;
		this.#isBroken = true;
		this.#log.add("ERROR", "session-agent", `The usage cannot be stored: ${String(error)}`);
	}
}
