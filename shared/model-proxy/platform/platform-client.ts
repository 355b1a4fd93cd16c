/** Sends reports to the platform, and tells what became of each. */
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import { Lifeline } from "./lifeline.ts";
import type { LogBuffer } from "#shared/wire/pod/log/log-buffer.ts";
import { type PlatformAccess, PlatformLink } from "./platform-link.ts";

const requestMs = 10_000;
const defaultLifelineMs = 900_000;

/**
 * The outcome of a report. `rejected`: the platform does not accept this report. `forbidden`: it accepts none at
 * present. `stale`: a newer launch of the session exists. `failed`: the platform has an error with this report of history.
 */
export type DeliveryOutcome = "accepted" | "unreachable" | "rejected" | "forbidden" | "stale" | "failed";

export type ReportKind = "activity" | "history" | "usage";

/** The events that end the pod. */
export interface PlatformEvents {
	/** This pod is not the session's pod any more. */
	onStale(): void;
	/** The platform could not be reached for too long. */
	onLost(): void;
}

/** Owns the link to the platform; the pod closes it. */
export class PlatformClient {
	readonly #link: PlatformLink;
	readonly #log: LogBuffer;
	readonly #onStale: () => void;
	readonly #refused = new Set<ReportKind>();
	readonly #lifeline: Lifeline;
	readonly #closed = new AbortController();
	#last: DeliveryOutcome | undefined;

	constructor(launch: PlatformAccess & Pick<LaunchDocument, "lifeline_ms">, log: LogBuffer, events: PlatformEvents) {
		this.#link = new PlatformLink(launch);
		this.#log = log;
		this.#onStale = () => events.onStale();
		this.#lifeline = new Lifeline(launch.lifeline_ms ?? defaultLifelineMs, () => events.onLost());
	}

	/** It is aborted when the client is closed. */
	get signal(): AbortSignal {
		return this.#closed.signal;
	}

	/** The outcome of the last report; undefined before the first one. */
	get last(): DeliveryOutcome | undefined {
		return this.#last;
	}

	/** Sends a report. A refusal is logged once. */
	async post(kind: ReportKind, body: object): Promise<DeliveryOutcome> {
		const status = await this.#send(`/${kind}`, body);
		const outcome = outcomeOf(kind, status);
		this.#last = outcome;
		if (this.signal.aborted) return outcome;
		if (outcome === "stale") this.#onStale();
		if (outcome === "rejected" || outcome === "forbidden") this.#warn(kind, status);
		if (["unreachable", "failed", "forbidden"].includes(outcome)) this.#lifeline.missed();
		else this.#lifeline.answered();
		return outcome;
	}

	close(): void {
		this.#closed.abort();
		this.#link.close();
	}

	#warn(kind: ReportKind, status: number): void {
		if (this.#refused.has(kind)) return;
		this.#refused.add(kind);
		this.#log.add("WARNING", "session-agent", `The platform refuses to hear of this session's ${kind}: ${status}`);
	}

	/** Resolves with the status of the answer, or 503 when there is none. */
	async #send(path: string, body: object): Promise<number> {
		const answer = await this.#link.send({ method: "POST", path, body, withinMs: requestMs, signal: this.signal });
		return answer?.status ?? 503;
	}
}

function outcomeOf(kind: ReportKind, status: number): DeliveryOutcome {
	if (status < 300) return "accepted";
	// The platform accepts usage of every launch, so 409 means a different report with this id.
	if (status === 409) return kind === "usage" ? "rejected" : "stale";
	// Usage is what people pay for, and only the newest activity waits: these are repeated for as long as it takes.
	if (status === 500 && kind === "history") return "failed";
	if (status >= 500 || status === 429 || status === 408) return "unreachable";
	return [401, 403, 404].includes(status) ? "forbidden" : "rejected";
}
