/**
 * Tells operators why logins are refused: a line of the log per reason and minute, and a counter. The answer to the client is the
 * same for every reason.
 */
import { monotonic } from "#shared/base/clock.ts";
import type { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import type { ServiceLog } from "#shared/base/service-log.ts";

/** The time between two lines about one reason, in milliseconds. */
const quietMs = 60_000;

/** Takes a refusal. @param reason One of few words. @param sentence Says why, for the log; it holds no secret and no token. */
export type NoteRefusal = (reason: string, sentence: string) => void;

/** Counts every refusal, and logs each reason once a minute. */
export class RefusedLogins {
	readonly #metrics: Metrics;
	readonly #log: ServiceLog;
	/** When each reason was logged last, by the monotonic clock. */
	readonly #logged = new Map<string, number>();

	constructor(metrics: Metrics, log: ServiceLog) {
		this.#metrics = metrics;
		this.#log = log;
	}

	/** Counts a refusal, and logs it unless its reason was logged within the last minute. */
	readonly note: NoteRefusal = (reason, sentence) => {
		this.#metrics.counter("atelier_logins_refused_total").at(reason).add();
		const last = this.#logged.get(reason);
		if (last !== undefined && monotonic() - last < quietMs) return;
		this.#logged.set(reason, monotonic());
		this.#log.error("A login was refused (docs/troubleshooting.md):", sentence);
	};
}
