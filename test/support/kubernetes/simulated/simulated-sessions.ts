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

/** Deletes the session; insistently, since a command may be refused while a process is away. */
export function deleted(bench: SimulatedPlatform, id: string): Promise<unknown> {
	return insisted(bench, `/sessions/${id}`);
}

/** Deletes the workspaces of deleted sessions; resolves when the cluster has no object of them. */
export async function leavesNothing(bench: SimulatedPlatform, ids: readonly string[]): Promise<void> {
	await Promise.all(ids.map((id) => insisted(bench, `/workspaces/${id}`)));
	let left: readonly string[] = [];
	const isGone = async () => {
		const objects = Object.values(await bench.cluster.sessionObjects()).flat();
		left = objects.filter((name) => ids.some((id) => name.includes(id)));
		return left.length === 0;
	};
	const terms = { withinMs: 2 * convergedMs, everyMs: 500, what: "nothing is left" };
	await eventually(isGone, terms).catch((error: unknown) => {
		expect(left, String(error)).to.deep.equal([]);
	});
}

/** A workspace cannot be deleted while its session is ending. */
function insisted(bench: SimulatedPlatform, path: string): Promise<unknown> {
	const isGone = async () => [204, 404].includes((await bench.clientOf(0).delete(path)).status);
	return eventually(isGone, { withinMs: 2 * convergedMs, everyMs: 500, what: `${path} is deleted` });
}
