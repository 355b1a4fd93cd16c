/** The tool calls of one turn, put together from their updates. */
import { monotonic } from "#shared/clock.ts";
import type { ToolUpdate } from "../coding-agents/coding-agent.ts";

export interface FinishedCall {
	/** As the agent says: `execute`, `edit`, `read`, … */
	readonly kind: string;
	readonly title: string;
	readonly command?: string;
	readonly exitCode?: number;
	readonly hasFailed: boolean;
	readonly durationMs: number;
}

/** Of one turn; what comes later is not put together. */
const maxCalls = 2_000;

export class ToolCalls {
	readonly #calls = new Map<string, { call: ToolUpdate; since: number; isOver: boolean }>();

	/** The call, when it has finished with this update. */
	update({ output: _output, ...update }: ToolUpdate): FinishedCall | undefined {
		const known = this.#calls.get(update.id);
		const kept = known ?? { call: update, since: monotonic(), isOver: false };
		Object.assign(kept.call, update);
		if (!known && this.#calls.size < maxCalls) this.#calls.set(update.id, kept);
		const { status } = kept.call;
		if (kept.isOver || (status !== "completed" && status !== "failed")) return undefined;
		kept.isOver = true;
		return finished(kept.call, Math.round(monotonic() - kept.since));
	}
}

function finished({ kind = "other", title = "", status, command, exit_code }: ToolUpdate, durationMs: number) {
	return {
		kind,
		title,
		hasFailed: status === "failed",
		durationMs,
		...(command !== undefined && { command }),
		...(exit_code !== undefined && { exitCode: exit_code }),
	};
}
