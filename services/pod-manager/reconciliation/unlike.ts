import type { Expectation } from "#shared/contracts/sessions/session-work.ts";
import type { Pod } from "../pod-runtime.ts";

/** Returns the sessions whose pods differ from their desired state, as far as that can be seen from outside. Pure. */
export function unlike(sessions: ReadonlyMap<string, Expectation>, pods: readonly Pod[]): Set<string> {
	const right = new Set<string>();
	const found = new Set<string>();
	for (const { sessionId, generation, state } of pods) {
		const session = sessions.get(sessionId);
		if (!session) continue;
		const wanted = session.desired === "run" && session.generation === generation && state !== "gone";
		(wanted ? right : found).add(sessionId);
	}
	for (const { id, desired } of sessions.values()) if (desired === "run" && !right.has(id)) found.add(id);
	return found;
}
