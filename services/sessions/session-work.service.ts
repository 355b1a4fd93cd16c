/** Work for the pod manager, on the bus: wiring only; the rules are in session-claims.ts. */
import type { ServiceSchema } from "moleculer";
import { implement } from "#shared/bus/service.ts";
import { sessionWork } from "#shared/contracts/session-work.ts";
import type { SessionClaims } from "./session-claims.ts";

export function sessionWorkService(claims: SessionClaims): ServiceSchema {
	return {
		name: sessionWork.name,
		actions: implement(sessionWork, {
			claim_due: ({ limit, ids }) => claims.claim(limit, ids),
			observe: (report) => claims.report(report),
			expected: ({ limit, after }) => claims.expected(limit, after),
		}),
	};
}
