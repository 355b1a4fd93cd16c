/** Opens and closes everything by which the pod reports to the platform. */
import type { ChronicleReport } from "#shared/contracts/sessions/chronicles.ts";
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import { type ActivityReport, ActivityReporter } from "./activity-reporter.ts";
import { HistoryReporter, type HistorySources } from "./history-reporter.ts";
import type { HistorySpool } from "./history-spool.ts";
import { PlatformClient, type PlatformEvents } from "#shared/model-proxy/platform/platform-client.ts";
import { UsageReporter } from "#shared/model-proxy/books/usage-reporter.ts";
import type { UsageSpool } from "#shared/model-proxy/books/usage-spool.ts";
import type { TokenMeter } from "#shared/model-proxy/metering/token-meter.ts";

/** The records that wait on disk for the platform. */
export interface Spools {
	history: HistorySpool;
	usage: UsageSpool;
}

export interface PlatformReportsDependencies {
	readonly launch: LaunchDocument;
	readonly sources: HistorySources;
	/** The spools are closed with the reports. */
	readonly spools: Spools;
	readonly meter: TokenMeter;
	readonly events: PlatformEvents;
}

/** Owns the client and the reporters. */
export class PlatformReports {
	readonly usage: UsageReporter;
	readonly #client: PlatformClient;
	readonly #activity: ActivityReporter;
	readonly #history: HistoryReporter;
	#chronicle: ChronicleReport | undefined;

	/** Delivers first what earlier pods of the session could not. */
	constructor({ launch, sources, spools, meter, events }: PlatformReportsDependencies) {
		const client = new PlatformClient(launch, sources.log, events);
		this.#client = client;
		this.#activity = new ActivityReporter(client);
		this.#history = new HistoryReporter(sources, spools.history, client);
		this.usage = new UsageReporter(spools.usage, launch.generation, { client, log: sources.log, meter });
	}

	activity(report: ActivityReport): void {
		this.#activity.report(report);
		this.#history.wake();
	}

	/** Whether the session still exists at the platform; true when the platform cannot be asked. */
	isWanted(): Promise<boolean> {
		return this.#history.isWanted();
	}

	/** @param chronicle The summary of the launch, which is reported last. */
	conclude(chronicle: ChronicleReport | undefined): void {
		this.#chronicle = chronicle;
	}

	/** Resolves within seconds; reports that the platform has not acknowledged by then wait on disk. */
	async close(): Promise<void> {
		await this.usage.drain();
		await this.#history.drain(this.#chronicle);
		// Closing the client aborts the deliveries, after which the reporters end.
		this.#client.close();
		await Promise.all([this.#history.close(), this.usage.close()]);
	}
}
