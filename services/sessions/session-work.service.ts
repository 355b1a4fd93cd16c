/** Work for the pod manager, on the bus: wiring only; the rules are in session-claims.ts. */
import type { ServiceSchema } from "moleculer";
import { implement } from "#shared/bus/service.ts";
import { sessionWork } from "#shared/contracts/session-work.ts";
import type { SessionClaims } from "./session-claims.ts";

/** @param isLimited Whether a limit of cost applies to a session. */
export function sessionWorkService(claims: SessionClaims, isLimited: (id: string) => Promise<boolean>): ServiceSchema {
	return {
		name: sessionWork.name,
		actions: implement(sessionWork, {
			async claim_due({ limit, ids }) {
				const claimed = await claims.claim(limit, ids);
				return Promise.all(
					claimed.map(async (claim) => ({
						...claim,
						launch: { ...claim.launch, budgeted: await isLimited(claim.id) },
					})),
				);
			},
			observe: (report) => claims.report(report),
			expected: ({ limit, after, ids }) => (ids ? claims.expectedOf(ids) : claims.expected(limit, after)),
		}),
	};
}
