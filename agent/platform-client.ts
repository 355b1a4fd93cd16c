/** What the pod tells the platform: its activity, the newest state only, again and again until it is heard. */
import { deadline, sleep } from "#shared/clock.ts";
import type { ActivityState } from "#shared/contracts/session-resource.ts";
import type { LaunchDocument } from "#shared/pod/launch.ts";
import type { LogBuffer } from "./log-buffer.ts";

export interface ActivityReport {
	state: ActivityState;
	metadata: { turn_count: number; duration_seconds: number };
}

const requestMs = 10_000;
const firstDelayMs = 250;
const maxDelayMs = 30_000;

/** `stale`: a newer launch of the session exists. `refused`: asking again would not help. */
type Hearing = "heard" | "away" | "refused" | "stale";

export class PlatformClient {
	readonly #url: string;
	readonly #token: string;
	readonly #log: LogBuffer;
	readonly #onStale: () => void;
	readonly #closed = new AbortController();
	#reported: ActivityState | undefined;
	#pending: ActivityReport | undefined;
	#isSending = false;
	#isRefused = false;

	/** @param onStale Called when this pod is not the session's pod any more. */
	constructor(launch: LaunchDocument, log: LogBuffer, onStale: () => void) {
		this.#url = `${launch.platform_url.replace(/\/$/, "")}/sessions/${launch.session_id}/activity`;
		this.#token = launch.pod_token;
		this.#log = log;
		this.#onStale = onStale;
	}

	/** Takes the place of a report that is still waiting. */
	report(report: ActivityReport): void {
		this.#pending = report;
		if (!this.#isSending) void this.#sendAll();
	}

	/** Gives up what has not been heard. */
	close(): void {
		this.#closed.abort();
	}

	/** Ends when nothing is left that the platform does not know. */
	async #sendAll(): Promise<void> {
		this.#isSending = true;
		let delayMs = firstDelayMs;
		while (this.#pending && this.#pending.state !== this.#reported && !this.#closed.signal.aborted) {
			const { state } = this.#pending;
			const hearing = await this.#send(this.#pending);
			if (hearing === "stale") this.#onStale();
			if (hearing === "away") {
				await sleep(delayMs * (0.5 + Math.random() / 2), this.#closed.signal);
				delayMs = Math.min(delayMs * 2, maxDelayMs);
			} else {
				this.#reported = state;
				delayMs = firstDelayMs;
			}
		}
		this.#isSending = false;
	}

	async #send(report: ActivityReport): Promise<Hearing> {
		try {
			const response = await fetch(this.#url, {
				method: "POST",
				headers: { authorization: `Bearer ${this.#token}`, "content-type": "application/json" },
				body: JSON.stringify(report),
				redirect: "error",
				signal: deadline(requestMs, this.#closed.signal),
			});
			await response.body?.cancel();
			return this.#hearing(response.status);
		} catch {
			// The platform may be starting again; the session goes on meanwhile.
			return "away";
		}
	}

	#hearing(status: number): Hearing {
		if (status < 300) return "heard";
		if (status === 409) return "stale";
		if (status >= 500 || status === 429 || status === 408) return "away";
		if (!this.#isRefused) {
			this.#isRefused = true;
			this.#log.add("WARNING", "session-agent", `The platform refuses to hear of this session's activity: ${status}`);
		}
		return "refused";
	}
}
