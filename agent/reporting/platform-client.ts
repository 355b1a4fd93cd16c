/** How the pod speaks to the platform: one report, and what became of it. */
import type { LaunchDocument } from "#shared/pod/launch.ts";
import { Lifeline } from "./lifeline.ts";
import type { LogBuffer } from "../io/log-buffer.ts";
import { PlatformLink } from "./platform-link.ts";

const requestMs = 10_000;
const defaultLifelineMs = 900_000;

/**
 * `stale`: a newer launch of the session exists. `refused`: this report is not wanted. `barred`: nor is any other,
 * for the time being.
 */
export type Hearing = "heard" | "away" | "refused" | "barred" | "stale";

export type ReportKind = "activity" | "history" | "usage";

export interface PlatformEvents {
	/** This pod is not the session's pod any more. */
	onStale(): void;
	/** The platform was away for too long. */
	onLost(): void;
}

export class PlatformClient {
	readonly #link: PlatformLink;
	readonly #log: LogBuffer;
	readonly #onStale: () => void;
	readonly #refused = new Set<ReportKind>();
	readonly #lifeline: Lifeline;
	readonly #closed = new AbortController();

	constructor(launch: LaunchDocument, log: LogBuffer, events: PlatformEvents) {
		this.#link = new PlatformLink(launch);
		this.#log = log;
		this.#onStale = () => events.onStale();
		this.#lifeline = new Lifeline(launch.lifeline_ms ?? defaultLifelineMs, () => events.onLost());
	}

	/** Aborts when the client is closed. */
	get signal(): AbortSignal {
		return this.#closed.signal;
	}

	/** A refusal is logged once. */
	async post(kind: ReportKind, body: object): Promise<Hearing> {
		const status = await this.#send(`/${kind}`, body);
		const hearing = hearingOf(kind, status);
		if (this.signal.aborted) return hearing;
		if (hearing === "stale") this.#onStale();
		if (hearing === "refused" || hearing === "barred") this.#warn(kind, status);
		if (hearing === "away" || hearing === "barred") this.#lifeline.missed();
		else this.#lifeline.heard();
		return hearing;
	}

	/** Gives up what is under way. */
	close(): void {
		this.#closed.abort();
		this.#link.close();
	}

	#warn(kind: ReportKind, status: number): void {
		if (this.#refused.has(kind)) return;
		this.#refused.add(kind);
		this.#log.add("WARNING", "session-agent", `The platform refuses to hear of this session's ${kind}: ${status}`);
	}

	/** The status of the answer; 503 when there is none. */
	async #send(path: string, body: object): Promise<number> {
		const answer = await this.#link.send({ method: "POST", path, body, withinMs: requestMs, signal: this.signal });
		return answer?.status ?? 503;
	}
}

function hearingOf(kind: ReportKind, status: number): Hearing {
	if (status < 300) return "heard";
	// Usage is taken from every launch; there it means that the id was used for something else.
	if (status === 409) return kind === "usage" ? "refused" : "stale";
	if (status >= 500 || status === 429 || status === 408) return "away";
	return [401, 403, 404].includes(status) ? "barred" : "refused";
}
