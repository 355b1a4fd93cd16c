/** Assembles the tool calls of one turn from their updates. */
import { monotonic } from "#shared/base/clock.ts";
import type { ToolUpdate } from "../coding-agents/coding-agent.ts";

/** A tool call that has ended. */
export interface FinishedCall {
	/** The kind that the agent reports: `execute`, `edit`, `read`, … */
	readonly kind: string;
	readonly title: string;
	readonly command?: string;
	readonly exitCode?: number;
	readonly hasFailed: boolean;
	readonly durationMs: number;
}

/** The bound on calls of one turn; updates of later calls are ignored. */
const maxCalls = 2_000;

export class ToolCalls {
	readonly #calls = new Map<string, { call: ToolUpdate; since: number; isOver: boolean }>();

	/** Returns the call when this update ends it. */
	update({ output: _output, ...update }: ToolUpdate): FinishedCall | undefined {
		const known = this.#calls.get(update.id);
		const entry = known ?? { call: update, since: monotonic(), isOver: false };
		Object.assign(entry.call, update);
		if (!known && this.#calls.size < maxCalls) this.#calls.set(update.id, entry);
		const { status } = entry.call;
		if (entry.isOver || (status !== "completed" && status !== "failed")) return undefined;
		entry.isOver = true;
		return finished(entry.call, Math.round(monotonic() - entry.since));
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
