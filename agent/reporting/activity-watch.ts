/** Derives what the agent is doing from the turns, the permission requests and the state of its model. */
import { every, monotonic, type Timer } from "#shared/base/clock.ts";
import type { ActivityState } from "#shared/contracts/sessions/session-resource.ts";
import type { ActivityReport } from "./activity-reporter.ts";
import type { ModelTrouble } from "./model-trouble.ts";
import type { Permissions, PermissionWatcher } from "../coding-agents/permissions.ts";
import type { TurnWatcher } from "../conversation/turn-watcher.ts";

export interface StallLimits {
	/** The time without an update after which an agent that runs no tool counts as stalled. The default is 2 min. */
	stalledMs: number;
	/** The interval of checks for a stall during a turn. The default is 10 s. */
	lookMs: number;
}

/** The bound on the title of a tool call, in characters; the platform accepts only short texts here. */
const maxTitle = 500;

const defaultLimits: StallLimits = { stalledMs: 120_000, lookMs: 10_000 };

export interface ActivityWatchDependencies {
	readonly turnCount: () => number;
	readonly permissions: Pick<Permissions, "open">;
	readonly trouble: () => ModelTrouble["now"];
	readonly report: (report: ActivityReport) => void;
}

export class ActivityWatch implements TurnWatcher, PermissionWatcher {
	readonly #since = monotonic();
	readonly #dependencies: ActivityWatchDependencies;
	readonly #limits: StallLimits;
	/** The state as the turns alone define it. */
	#state: ActivityState = "idle";
	#heardAt = monotonic();
	/** The timer runs during turns. */
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

	/** Is called when the model's trouble has begun, changed or ended. */
	troubled(): void {
		this.#tell();
	}

	#enter(state: ActivityState): void {
		this.#state = state;
		this.#heardAt = monotonic();
		this.#tell();
	}

	/** A tool may be silent for long and still work. */
	get #isStalled(): boolean {
		return this.#state === "active" && monotonic() - this.#heardAt >= this.#limits.stalledMs;
	}

	/** An agent that waits for a person does nothing else, whatever state its tools have. */
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
