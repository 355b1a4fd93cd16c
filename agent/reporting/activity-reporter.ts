/** Tells the platform what the agent is doing: the newest state only, again and again until it is heard. */
import type { ActivityState } from "#shared/contracts/session-resource.ts";
import { SingleFlight } from "#shared/single-flight.ts";
import { Backoff } from "./backoff.ts";
import type { PlatformClient } from "./platform-client.ts";

export interface ActivityReport {
	state: ActivityState;
	metadata: {
		turn_count: number;
		duration_seconds: number;
		/** A person is waited for, to permit what `waiting_for` says. */
		waiting?: true;
		waiting_for?: string;
		/** The agent has said nothing for some minutes, and runs no tool. */
		stalled?: true;
		/** The model does not answer: why its last call failed, and how many did since one went well. */
		model_error?: string;
		attempts?: number;
	};
}

export class ActivityReporter {
	readonly #client: PlatformClient;
	/** What was told last, but for the numbers. */
	#reported: string | undefined;
	#pending: ActivityReport | undefined;
	readonly #sending = new SingleFlight(() => this.#sendAll());

	constructor(client: PlatformClient) {
		this.#client = client;
	}

	/** Takes the place of a report that is still waiting. */
	report(report: ActivityReport): void {
		this.#pending = report;
		this.#sending.request();
	}

	/** Ends when nothing is left that the platform does not know. */
	async #sendAll(): Promise<void> {
		const backoff = new Backoff();
		while (this.#pending && fingerprintOf(this.#pending) !== this.#reported && !this.#client.signal.aborted) {
			const fingerprint = fingerprintOf(this.#pending);
			const outcome = await this.#client.post("activity", this.#pending);
			if (outcome === "unreachable") {
				await backoff.wait(this.#client.signal);
				continue;
			}
			this.#reported = fingerprint;
			backoff.reset();
		}
	}
}

function fingerprintOf({ state, metadata: { waiting_for, stalled, model_error, attempts } }: ActivityReport): string {
	return JSON.stringify([state, waiting_for, stalled, model_error, attempts]);
}
