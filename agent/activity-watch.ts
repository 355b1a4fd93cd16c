/** What the agent is doing, from the turns and from what it waits to be allowed. */
import { monotonic } from "#shared/clock.ts";
import type { ActivityState } from "#shared/contracts/session-resource.ts";
import type { ActivityReport } from "./activity-reporter.ts";
import type { Permissions, PermissionWatcher } from "./permissions.ts";
import type { TurnWatcher } from "./turn-watcher.ts";

export class ActivityWatch implements TurnWatcher, PermissionWatcher {
	readonly #since = monotonic();
	readonly #turnCount: () => number;
	readonly #permissions: Pick<Permissions, "open">;
	readonly #report: (report: ActivityReport) => void;
	/** From the turns alone. */
	#state: ActivityState = "idle";

	/** @param turnCount Turns of the agent so far. */
	constructor(
		turnCount: () => number,
		permissions: Pick<Permissions, "open">,
		report: (report: ActivityReport) => void,
	) {
		this.#turnCount = turnCount;
		this.#permissions = permissions;
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

	asked(): void {
		this.#tell();
	}

	answered(): void {
		this.#tell();
	}

	#enter(state: ActivityState): void {
		this.#state = state;
		this.#tell();
	}

	/** Whoever waits for a person does nothing else, whatever its tools look like. */
	#tell(): void {
		const duration_seconds = Math.round((monotonic() - this.#since) / 1_000);
		const numbers = { turn_count: this.#turnCount(), duration_seconds };
		const [waiting] = this.#permissions.open;
		if (waiting === undefined) return this.#report({ state: this.#state, metadata: numbers });
		this.#report({ state: "active", metadata: { ...numbers, waiting: true, waiting_for: waiting.title } });
	}
}
