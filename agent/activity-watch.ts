/** What the agent is doing, from the turns. */
import { monotonic } from "#shared/clock.ts";
import type { ActivityState } from "#shared/contracts/session-resource.ts";
import type { ActivityReport } from "./activity-reporter.ts";
import type { TurnWatcher } from "./turn-watcher.ts";

export class ActivityWatch implements TurnWatcher {
	readonly #since = monotonic();
	readonly #turnCount: () => number;
	readonly #report: (report: ActivityReport) => void;

	/** @param turnCount Turns of the agent so far. */
	constructor(turnCount: () => number, report: (report: ActivityReport) => void) {
		this.#turnCount = turnCount;
		this.#report = report;
	}

	began(): void {
		this.#enter("active");
	}

	updated(_update: unknown, isExecuting: boolean): void {
		this.#enter(isExecuting ? "tool_executing" : "active");
	}

	rested(): void {
		this.#enter("idle");
	}

	#enter(state: ActivityState): void {
		const duration_seconds = Math.round((monotonic() - this.#since) / 1_000);
		this.#report({ state, metadata: { turn_count: this.#turnCount(), duration_seconds } });
	}
}
