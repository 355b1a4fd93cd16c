/** Everything the pod tells the platform, from one place. */
import type { LaunchDocument } from "#shared/pod/launch.ts";
import { type ActivityReport, ActivityReporter } from "./activity-reporter.ts";
import { HistoryReporter, type Told } from "./history-reporter.ts";
import type { HistorySpool } from "./history-spool.ts";
import { PlatformClient, type PlatformEvents } from "./platform-client.ts";

export class PlatformReports {
	readonly #activity: ActivityReporter;
	readonly #history: HistoryReporter;

	/** Delivers first what earlier pods of the session could not. */
	constructor(launch: LaunchDocument, told: Told, spool: HistorySpool, events: PlatformEvents) {
		const client = new PlatformClient(launch, told.log, events);
		this.#activity = new ActivityReporter(client);
		this.#history = new HistoryReporter(told, spool, client);
	}

	activity(report: ActivityReport): void {
		this.#activity.report(report);
		this.#history.wake();
	}

	/** Resolves soon; what the platform has not heard by then waits on disk. */
	end(): Promise<void> {
		return this.#history.end();
	}
}
