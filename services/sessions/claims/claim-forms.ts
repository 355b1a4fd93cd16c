/** The forms in which the pod manager gets sessions: as claims, and as what it should find. Pure. */
import type { Claim, Desired, Expectation } from "#shared/contracts/sessions/session-work.ts";
import type { SessionDocument } from "../record/session-collection.ts";
import { workspaceOf } from "../workspaces/workspace-changes.ts";

/** Returns what a pod manager should find of a session. */
export function expectationOf({ id, generation = 0, desired = "stop" }: SessionDocument): Expectation {
	return { id, generation, desired: desired as Desired };
}

export function claimOf(document: SessionDocument): Claim {
	return {
		...expectationOf(document),
		tenant: document.tenant ?? "",
		owner: document.owner ?? "",
		fence: document.fence ?? 0,
		workspace: workspaceOf(document),
		launch: {
			...((document.launch ?? {}) as Record<string, unknown>),
			...(document.worked === 1 && { worked_before: true }),
		},
		attempts: document.attempts ?? 0,
		...(document.status === "running" && { has_run: true }),
	};
}
