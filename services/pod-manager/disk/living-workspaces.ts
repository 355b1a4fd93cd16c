/** Measures the workspaces of living pods, one after the other. */
import type { UsedWorkspace } from "#shared/contracts/workspaces/workspace-work.ts";
import { isAlive, type PodRuntime } from "../pod-runtime.ts";

/** The most sessions that are measured in one round. */
const maxSessions = 500;

export interface LivingWorkspacesDependencies {
	readonly runtime: Pick<PodRuntime, "inventory" | "measureWorkspace">;
	/** Returns the workspaces of those sessions that are to run. */
	readonly inUse: (sessions: string[]) => Promise<readonly UsedWorkspace[]>;
}

export interface LivingWorkspace extends UsedWorkspace {
	readonly bytes: number;
	/** The number of the launch of its session. */
	readonly generation: number;
}

/**
 * Measures until the signal aborts, and leaves out what cannot be measured.
 * @param before The sessions that were measured before, the oldest measurement first; they come after those that never were.
 * @param wanted Says whether to measure one; default: each.
 */
export async function* livingWorkspaces(
	{ runtime, inUse }: LivingWorkspacesDependencies,
	before: ReadonlySet<string> | ReadonlyMap<string, unknown>,
	signal: AbortSignal,
	wanted: (used: UsedWorkspace) => boolean = () => true,
): AsyncGenerator<LivingWorkspace> {
	const { pods } = await runtime.inventory();
	const living = new Map(pods.filter(isAlive).map(({ sessionId, generation }) => [sessionId, generation]));
	const oldest = [...before.keys()].filter((id) => living.has(id));
	const never = [...living.keys()].filter((id) => !before.has(id));
	const ids = [...never, ...oldest].slice(0, maxSessions);
	const used = ids.length === 0 ? [] : await inUse(ids);
	for (const one of used.filter(wanted)) {
		const bytes = await runtime.measureWorkspace(one.workspace, signal, one.session).catch(() => undefined);
		if (signal.aborted) return;
		if (bytes !== undefined) yield { ...one, bytes, generation: living.get(one.session) ?? 1 };
	}
}
