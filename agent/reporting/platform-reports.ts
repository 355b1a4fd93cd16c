/** Everything the pod tells the platform, from one place. */
import type { ChronicleReport } from "#shared/contracts/chronicles.ts";
import type { LaunchDocument } from "#shared/pod/launch.ts";
import { type ActivityReport, ActivityReporter } from "./activity-reporter.ts";
import { HistoryReporter, type Told } from "./history-reporter.ts";
import type { HistorySpool } from "./history-spool.ts";
import { PlatformClient, type PlatformEvents } from "./platform-client.ts";
import { UsageReporter } from "./usage-reporter.ts";
import type { UsageSpool } from "./usage-spool.ts";
import type { TokenMeter } from "../model-proxy/metering/token-meter.ts";

/** What waits on disk for the platform. */
export interface Spools {
	history: HistorySpool;
	usage: UsageSpool;
}

export interface PlatformReportsDependencies {
	readonly launch: LaunchDocument;
	readonly told: Told;
	/** They are closed with the reports. */
	readonly spools: Spools;
	/** Counts the tokens of the calls that are reported. */
	readonly meter: TokenMeter;
	readonly events: PlatformEvents;
}

export class PlatformReports {
	readonly usage: UsageReporter;
	readonly #client: PlatformClient;
	readonly #activity: ActivityReporter;
	readonly #history: HistoryReporter;
	#chronicle: ChronicleReport | undefined;

	/** Delivers first what earlier pods of the session could not. */
	constructor({ launch, told, spools, meter, events }: PlatformReportsDependencies) {
		const client = new PlatformClient(launch, told.log, events);
		this.#client = client;
		this.#activity = new ActivityReporter(client);
		this.#history = new HistoryReporter(told, spools.history, client);
		this.usage = new UsageReporter(spools.usage, launch.generation, { client, log: told.log, meter });
	}

	activity(report: ActivityReport): void {
		this.#activity.report(report);
		this.#history.wake();
	}

	/** Whether the platform knows the session still; true when it cannot be asked. */
	isWanted(): Promise<boolean> {
		return this.#history.isWanted();
	}

	/** @param chronicle What became of the launch; it is the last thing that is reported. */
	conclude(chronicle: ChronicleReport | undefined): void {
		this.#chronicle = chronicle;
	}

	/** Resolves within seconds; what the platform has not acknowledged by then waits on disk. */
	async close(): Promise<void> {
		await this.usage.drain();
		await this.#history.drain(this.#chronicle);
		// Deliveries under way are given up, and only then do the reporters come to an end.
		this.#client.close();
		await Promise.all([this.#history.close(), this.usage.close()]);
	}
}
