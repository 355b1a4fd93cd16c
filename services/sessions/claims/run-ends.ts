/** Ends the runs of sessions for reasons other than their pods, e.g. because the owner has departed. */
import type { DepartedOwners } from "#shared/bus/departed-owners.ts";
import { type Failure, statusReasons } from "#shared/contracts/sessions/status-reasons.ts";
import { systemPrincipal } from "#shared/base/principal.ts";
import { failedChange, type SessionRecord } from "../record/session-change.ts";
import type { SessionDocument } from "../record/session-collection.ts";
import type { SessionRecords } from "../record/session-records.ts";

const reporter = systemPrincipal("session-work");

const ownerGone: Failure = {
	code: "OWNER_GONE",
	message: statusReasons.OWNER_GONE[0],
};

interface RunEndsDependencies {
	readonly records: Pick<SessionRecords, "change">;
	/** Absent: nobody departs. */
	readonly departed?: Pick<DepartedOwners, "among"> | undefined;
}

export class RunEnds {
	readonly #dependencies: RunEndsDependencies;

	constructor(dependencies: RunEndsDependencies) {
		this.#dependencies = dependencies;
	}

	/**
	 * Ends the runs of sessions whose owner has departed, and returns all sessions as they are then. While nobody can tell,
	 * those that have not begun to start are left out: they stay due.
	 */
	async withOwners(found: readonly SessionDocument[], at: number): Promise<readonly SessionDocument[]> {
		const running = found.filter(({ desired }) => desired === "run");
		if (!this.#dependencies.departed || running.length === 0) return found;
		const isGone = await this.#dependencies.departed.among(running).catch(() => undefined);
		if (!isGone) return found.filter(({ desired, status }) => desired !== "run" || status !== "starting");
		const ended = found.map(async (document) =>
			document.desired === "run" && isGone(document) ? this.fail(document, ownerGone, at) : document,
		);
		// One that cannot be changed now, because it was removed or changes all the time, gets its next pass later.
		return (await Promise.allSettled(ended)).flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
	}

	/** Ends the run of a session, unless it ended meanwhile; resolves to its present form. */
	async fail({ id }: SessionDocument, failure: Failure, at: number): Promise<SessionDocument> {
		const fail = (record: SessionRecord) => (record.document.desired === "run" ? failedChange(failure, at) : undefined);
		return (await this.#dependencies.records.change(reporter, id, fail)).document;
	}
}
