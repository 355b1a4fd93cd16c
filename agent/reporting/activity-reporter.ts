/** Reports what the agent is doing. Only the newest state is sent, until the platform acknowledges it. */
import type { ActivityState } from "#shared/contracts/sessions/session-resource.ts";
import { SingleFlight } from "#shared/base/concurrency/single-flight.ts";
import { Backoff } from "#shared/base/concurrency/backoff.ts";
import type { PlatformClient } from "#shared/model-proxy/platform/platform-client.ts";

export interface ActivityReport {
	state: ActivityState;
	metadata: {
		turn_count: number;
		duration_seconds: number;
		/** The agent waits for a person to permit what `waiting_for` says. */
		waiting?: true;
		waiting_for?: string;
		/** The agent has reported nothing for some minutes and runs no tool. */
		stalled?: true;
		/** Why the last call of the model failed, and how many calls have failed since one succeeded. */
		model_error?: string;
		attempts?: number;
	};
}

export class ActivityReporter {
	readonly #client: PlatformClient;
	/** The last report without its numbers. */
	#reported: string | undefined;
	#pending: ActivityReport | undefined;
	readonly #sending = new SingleFlight(() => this.#sendAll());

	constructor(client: PlatformClient) {
		this.#client = client;
	}

	/** Replaces a report that still waits. */
	report(report: ActivityReport): void {
		this.#pending = report;
		this.#sending.request();
	}

	/** Ends when the platform knows the newest state. */
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
