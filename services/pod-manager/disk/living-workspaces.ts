/** Finds the workspaces of living pods, and measures one of them. */
import type { UsedWorkspace } from "#shared/contracts/workspaces/workspace-work.ts";
import { isAlive, type MeasuredFiles, type MeasureTerms, type PodRuntime } from "../pod-runtime.ts";

/** The most sessions that are measured in one round. */
const maxSessions = 500;

export interface LivingWorkspacesDependencies {
	readonly runtime: Pick<PodRuntime, "inventory" | "measureWorkspace">;
	/** Returns the workspaces of those sessions that are to run. */
	readonly inUse: (sessions: string[]) => Promise<readonly UsedWorkspace[]>;
}

export interface LivingWorkspace extends UsedWorkspace {
	/** The number of the launch of its session. */
	readonly generation: number;
}

/**
 * Returns at most 500 workspaces.
 * @param before The sessions that were measured before, the oldest measurement first; they come after those that never were.
 */
export async function livingWorkspaces(
	{ runtime, inUse }: LivingWorkspacesDependencies,
	before: ReadonlyMap<string, unknown>,
): Promise<LivingWorkspace[]> {
	const { pods } = await runtime.inventory();
	const living = new Map(pods.filter(isAlive).map(({ sessionId, generation }) => [sessionId, generation]));
	const oldest = [...before.keys()].filter((id) => living.has(id));
	const never = [...living.keys()].filter((id) => !before.has(id));
	const ids = [...never, ...oldest].slice(0, maxSessions);
	const place = new Map(ids.map((id, index) => [id, index]));
	const used = ids.length === 0 ? [] : await inUse(ids);
	return used
		.map((one) => ({ ...one, generation: living.get(one.session) ?? 1 }))
		.toSorted((one, other) => (place.get(one.session) ?? 0) - (place.get(other.session) ?? 0));
}

/** Resolves to undefined when it cannot be measured now. @param write Gets a sentence then. */
export async function measuredWorkspace(
	{ runtime }: Pick<LivingWorkspacesDependencies, "runtime">,
	{ session, workspace }: UsedWorkspace,
	terms: Omit<MeasureTerms, "session"> & { readonly write: (sentence: string) => void },
): Promise<MeasuredFiles | undefined> {
	const { write, ...rest } = terms;
	try {
		return await runtime.measureWorkspace(workspace, { ...rest, session });
	} catch (error) {
		if (terms.signal.aborted) return undefined;
		const reason = error instanceof Error ? error.message : String(error);
		write(`Cannot measure the workspace of session "${session}": ${reason}`);
		return undefined;
	}
}
