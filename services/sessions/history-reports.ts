/** What pods report of their session, taken from the pod of the present launch only. */
import type { Principal } from "#shared/bus/principal.ts";
import type { HistoryReport } from "#shared/contracts/history.ts";
import { NotFoundError, UnprocessableError } from "#shared/errors.ts";
import { maxChunkBytes } from "./history-entries.ts";
import type { SessionHistory } from "./session-history.ts";
import type { SessionRecords } from "./session-records.ts";
import { refuseStale } from "./stale-launch.ts";

export class HistoryReports {
	readonly #records: SessionRecords;
	readonly #history: SessionHistory;

	constructor(records: SessionRecords, history: SessionHistory) {
		this.#records = records;
		this.#history = history;
	}

	/** @throws {ConflictError} from the pod of an older launch; {NotFoundError}; {UnprocessableError}. */
	async take(principal: Principal, id: string, report: HistoryReport): Promise<void> {
		const { session } = await this.#records.get(principal, id);
		refuseStale(principal, session.generation);
		const { launch = session.generation, logs, turns, diff } = report;
		if (launch > session.generation)
			throw new UnprocessableError(`There was no launch ${launch} yet`, "LAUNCH_UNKNOWN");
		if (diff && (diff.piece >= diff.pieces || Buffer.byteLength(diff.text) > maxChunkBytes))
			throw new UnprocessableError("A piece of the patch is too large or none of its pieces", "PATCH_PIECE");
		if (logs.length === 0 && turns.length === 0 && !diff) return;
		await this.#history.add(id, launch, report);
		await this.#forgetDeleted(principal, id);
	}

	/** A session may have gone while its report was written. @throws {NotFoundError} */
	async #forgetDeleted(principal: Principal, id: string): Promise<void> {
		try {
			await this.#records.get(principal, id);
		} catch (error) {
			if (error instanceof NotFoundError) await this.#history.remove(id);
			throw error;
		}
	}
}
