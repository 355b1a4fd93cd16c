/** What the agent is doing, from the turns, from what it waits to be allowed, and from how its model answers. */
import { every, monotonic, type Timer } from "#shared/clock.ts";
import type { ActivityState } from "#shared/contracts/session-resource.ts";
import type { ActivityReport } from "./activity-reporter.ts";
import type { ModelTrouble } from "./model-trouble.ts";
import type { Permissions, PermissionWatcher } from "../coding-agents/permissions.ts";
import type { TurnWatcher } from "../conversation/turn-watcher.ts";

export interface StallLimits {
	/** Time without a word of an agent that runs no tool, after which it counts as stalled. Default 2 min. */
	stalledMs: number;
	/** How often that is looked at while a turn is under way. Default 10 s. */
	lookMs: number;
}

/** Characters: the platform takes little from a session that says what it does. */
const maxTitle = 500;

const defaultLimits: StallLimits = { stalledMs: 120_000, lookMs: 10_000 };

export interface ActivityWatchDependencies {
	/** Turns of the agent so far. */
	readonly turnCount: () => number;
	readonly permissions: Pick<Permissions, "open">;
	readonly trouble: () => ModelTrouble["now"];
	readonly report: (report: ActivityReport) => void;
}

export class ActivityWatch implements TurnWatcher, PermissionWatcher {
	readonly #since = monotonic();
	readonly #dependencies: ActivityWatchDependencies;
	readonly #limits: StallLimits;
	/** From the turns alone. */
	#state: ActivityState = "idle";
	#heardAt = monotonic();
	/** Runs during turns. */
	#looking: Timer | undefined;

	constructor(dependencies: ActivityWatchDependencies, limits: Partial<StallLimits> = {}) {
		this.#dependencies = dependencies;
		this.#limits = { ...defaultLimits, ...limits };
	}

	began(): void {
		this.#looking ??= every(this.#limits.lookMs, () => {
			if (this.#isStalled) this.#tell();
		});
		this.#enter("active");
	}

	updated(_update: unknown, isExecuting: boolean): void {
		this.#enter(isExecuting ? "tool_executing" : "active");
	}

	rested(): void {
		this.#looking?.cancel();
		this.#looking = undefined;
		this.#enter("idle");
	}

	asked(): void {
		this.#enter(this.#state);
	}

	answered(): void {
		this.#enter(this.#state);
	}

	/** The model's trouble has begun, changed or gone. */
	troubled(): void {
		this.#tell();
	}

	#enter(state: ActivityState): void {
		this.#state = state;
		this.#heardAt = monotonic();
		this.#tell();
	}

	/** A tool may say nothing for long and be well. */
	get #isStalled(): boolean {
		return this.#state === "active" && monotonic() - this.#heardAt >= this.#limits.stalledMs;
	}

	/** Whoever waits for a person does nothing else, whatever its tools look like. */
	#tell(): void {
		const { turnCount, permissions, trouble, report } = this.#dependencies;
		const duration_seconds = Math.round((monotonic() - this.#since) / 1_000);
		const numbers = { turn_count: turnCount(), duration_seconds };
		const [waiting] = permissions.open;
		if (waiting !== undefined) {
			const waiting_for = waiting.title.slice(0, maxTitle);
			return report({ state: "active", metadata: { ...numbers, waiting: true, waiting_for } });
		}
		const stalled = this.#isStalled && { stalled: true as const };
		const now = trouble();
		const troubled = now && { model_error: now.sentence, attempts: now.attempts };
		report({ state: this.#state, metadata: { ...numbers, ...stalled, ...troubled } });
	}
}
