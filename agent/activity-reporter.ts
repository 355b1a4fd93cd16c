/** Tells the platform what the agent is doing: the newest state only, again and again until it is heard. */
import type { ActivityState } from "#shared/contracts/session-resource.ts";
import { Backoff } from "./backoff.ts";
import type { PlatformClient } from "./platform-client.ts";

export interface ActivityReport {
	state: ActivityState;
	metadata: { turn_count: number; duration_seconds: number };
}

export class ActivityReporter {
	readonly #client: PlatformClient;
	#reported: ActivityState | undefined;
	#pending: ActivityReport | undefined;
	#isSending = false;

	constructor(client: PlatformClient) {
		this.#client = client;
	}

	/** Takes the place of a report that is still waiting. */
	report(report: ActivityReport): void {
		this.#pending = report;
		if (!this.#isSending) void this.#sendAll();
	}

	/** Ends when nothing is left that the platform does not know. */
	async #sendAll(): Promise<void> {
		this.#isSending = true;
		const backoff = new Backoff();
		while (this.#pending && this.#pending.state !== this.#reported && !this.#client.signal.aborted) {
			const { state } = this.#pending;
			const hearing = await this.#client.post("activity", this.#pending);
			if (hearing === "away") {
				await backoff.wait(this.#client.signal);
				continue;
			}
			this.#reported = state;
			backoff.reset();
		}
		this.#isSending = false;
	}
}
