/** Steps with sessions of a simulated cluster, and what has to hold of their objects. */
import { expect } from "chai";
import { eventually } from "../../eventually.ts";
import { createSession, sessionReaches, type SessionView } from "../../platform/session-steps.ts";
import type { SimulatedPlatform } from "./simulated-platform.ts";

/** A session that waits for the end of a lease of 15 s reaches a status within this time, in milliseconds. */
export const convergedMs = 60_000;

export async function running(bench: SimulatedPlatform, person = 0): Promise<SessionView> {
	const api = bench.clientOf(person);
	const { id } = await createSession(api);
	return sessionReaches(api, id, "running", convergedMs);
}

/** Deletes the session with its workspace; insistently, since commands may be refused while a process is away. */
export async function deleted(bench: SimulatedPlatform, id: string, person = 0): Promise<void> {
	const api = bench.clientOf(person);
	await eventually(async () => [204, 404].includes((await api.delete(`/sessions/${id}`)).status), {
		withinMs: convergedMs,
		everyMs: 500,
		what: `session ${id} is deleted`,
	});
	const { status, text } = await api.delete(`/workspaces/${id}`);
	if (status !== 204 && status !== 404) throw new Error(`DELETE of the workspace: ${status} ${text}`);
}

/** Resolves when the cluster has no object of these sessions and their workspaces. */
export async function leavesNothing(bench: SimulatedPlatform, ids: readonly string[]): Promise<void> {
	let left: readonly string[] = [];
	const isGone = async () => {
		const objects = Object.values(await bench.cluster.sessionObjects()).flat();
		left = objects.filter((name) => ids.some((id) => name.includes(id)));
		return left.length === 0;
	};
	await eventually(isGone, { withinMs: 3 * convergedMs, everyMs: 500, what: "nothing is left" }).catch(
		(error: unknown) => {
			expect(left, String(error)).to.deep.equal([]);
		},
	);
}
