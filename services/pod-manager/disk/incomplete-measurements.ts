/** Says from when on a measurement that is not whole is held against its session. A busy machine or disk must end none. */
import { lastingReasons, type PartialReason } from "#shared/contracts/workspaces/workspace-work.ts";

/** The measurements in a row that a busy machine may spoil. */
const spoilt = 2;

/** The incomplete measurements of the sessions of one process. */
export class IncompleteMeasurements {
	/** The count of those in a row by session. */
	readonly #times = new Map<string, number>();

	/** Notes a measurement. Returns the reason that is held against the session; undefined when there is none, or not yet. */
	noted(session: string, partial: PartialReason | undefined): PartialReason | undefined {
		const times = partial ? (this.#times.get(session) ?? 0) + 1 : 0;
		if (times === 0) this.#times.delete(session);
		else this.#times.set(session, times);
		return partial && (lastingReasons.has(partial) || times > spoilt) ? partial : undefined;
	}

	forget(session: string): void {
		this.#times.delete(session);
	}

	/** Forgets all sessions but these. */
	keepOnly(sessions: ReadonlySet<string>): void {
		for (const session of this.#times.keys()) if (!sessions.has(session)) this.#times.delete(session);
	}
}
