/** Everything the pod tells the platform, from one place. */
import type { ChronicleReport } from "#shared/contracts/chronicles.ts";
import type { LaunchDocument } from "#shared/pod/launch.ts";
import { type ActivityReport, ActivityReporter } from "./activity-reporter.ts";
import { HistoryReporter, type Told } from "./history-reporter.ts";
import type { HistorySpool } from "./history-spool.ts";
import { PlatformClient, type PlatformEvents } from "./platform-client.ts";
import { UsageReporter } from "./usage-reporter.ts";
import type { UsageSpool } from "./usage-spool.ts";

/** What waits on disk for the platform. */
export interface Spools {
	history: HistorySpool;
	usage: UsageSpool;
}

export class PlatformReports {
	readonly usage: UsageReporter;
	readonly #activity: ActivityReporter;
	readonly #history: HistoryReporter;

	/** Delivers first what earlier pods of the session could not. */
	constructor(launch: LaunchDocument, told: Told, spools: Spools, events: PlatformEvents) {
		const client = new PlatformClient(launch, told.log, events);
		this.#activity = new ActivityReporter(client);
		this.#history = new HistoryReporter(told, spools.history, client);
		this.usage = new UsageReporter(spools.usage, launch.generation, { client, log: told.log });
	}

	activity(report: ActivityReport): void {
		this.#activity.report(report);
		this.#history.wake();
	}

	/** Whether the platform knows the session still; true when it cannot be asked. */
	isWanted(): Promise<boolean> {
		return this.#history.isWanted();
	}

	/** Resolves soon; what the platform has not heard by then waits on disk. @param chronicle What became of the launch. */
	async end(chronicle?: ChronicleReport): Promise<void> {
		await this.usage.settle();
		// It closes the connection to the platform.
		await this.#history.end(chronicle);
		await this.usage.close();
	}
}
