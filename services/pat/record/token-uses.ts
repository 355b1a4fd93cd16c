/**
 * Collects when tokens were used, and stores it now and then: a write for each request would cost more than the request.
 * A process that dies loses the uses of half a minute; nothing but the display depends on them.
 */
import { now } from "#shared/base/clock.ts";
import { RecurringJob } from "#shared/base/concurrency/recurring-job.ts";
import type { ServiceLog } from "#shared/base/service-log.ts";
import type { TokenRecords } from "./token-records.ts";

const everyMs = 30_000;
/** The most tokens whose use is remembered between two writes; the uses of further ones are not recorded. */
const maxWaiting = 10_000;

/** The uses of tokens in one process. Its creator starts and stops it. */
export class TokenUses {
	readonly #records: Pick<TokenRecords, "markUsed">;
	readonly #job: RecurringJob;
	#waiting = new Map<string, number>();

	constructor(records: Pick<TokenRecords, "markUsed">, log: ServiceLog) {
		this.#records = records;
		this.#job = new RecurringJob({
			everyMs,
			work: () => this.store(),
			onError: (error) => log.error("The last use of tokens cannot be stored:", error),
		});
	}

	start(): void {
		this.#job.start();
	}

	/** Stores what waits and ends the interval. */
	async stop(): Promise<void> {
		await this.#job.stop();
		await this.store();
	}

	note(id: string): void {
		if (this.#waiting.size < maxWaiting || this.#waiting.has(id)) this.#waiting.set(id, now());
	}

	/** Stores the uses so far. A use that cannot be stored is forgotten: the next one says more. */
	async store(): Promise<void> {
		const waiting = this.#waiting;
		this.#waiting = new Map();
		for (const [id, at] of waiting) await this.#records.markUsed(id, at);
	}
}
