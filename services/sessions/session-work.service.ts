/** Wires the work for the pod manager to the bus; the rules are in session-claims.ts. */
import type { Service, ServiceSchema } from "moleculer";
import { type Caller, implement } from "#shared/bus/service.ts";
import type { AffectedSession } from "#shared/contracts/credentials/credentials.ts";
import { type Claim, sessionWork } from "#shared/contracts/sessions/session-work.ts";
import type { SoughtCredential } from "./claims/credential-users.ts";
import type { SessionClaims } from "./claims/session-claims.ts";

/** The questions about sessions that other modules answer. */
interface SessionQuestions {
	readonly isLimited: (id: string) => Promise<boolean>;
	/** Returns the sessions whose pods may have read a credential. */
	readonly withCredential: (sought: SoughtCredential) => Promise<AffectedSession[]>;
	/** Receives the bus at the start. */
	readonly attach: (bus: Caller) => void;
}

export function sessionWorkService(
	claims: SessionClaims,
	{ isLimited, withCredential, attach }: SessionQuestions,
): ServiceSchema {
	const budgeted = async (claim: Claim): Promise<Claim> => ({
		...claim,
		launch: { ...claim.launch, budgeted: await isLimited(claim.id) },
	});
	return {
		name: sessionWork.name,
		actions: implement(sessionWork, {
			async claim_due({ limit, ids, host, ...shares }) {
				const { starting_per_owner: startingPerOwner, passes_per_owner: passesPerOwner, under_way: underWay } = shares;
				const claimed = await claims.claim(limit, ids, { startingPerOwner, passesPerOwner, underWay, host });
				return succeededOf(await Promise.allSettled(claimed.map(budgeted)));
			},
			async launch_of({ id, generation }) {
				const claim = await claims.launchOf(id, generation);
				return claim ? budgeted(claim) : null;
			},
			model_of: ({ id }) => claims.modelOf(id),
			with_credential: (sought) => withCredential(sought),
			observe: (report) => claims.report(report),
			expected: ({ limit, after, ids, host }) =>
				ids ? claims.expectedOf(ids, host) : claims.expected(limit, after, host),
		}),

		async started(this: Service) {
			attach(this.broker);
		},
	};
}

/**
 * Returns the claims that succeeded. The other sessions are due again when their leases end. @throws {unknown} the
 * first failure when no claim has succeeded.
 */
function succeededOf(outcomes: readonly PromiseSettledResult<Claim>[]): Claim[] {
	const succeeded = outcomes.filter((outcome) => outcome.status === "fulfilled");
	const failed = outcomes.find((outcome) => outcome.status === "rejected");
	if (failed && succeeded.length === 0) throw failed.reason;
	return succeeded.map(({ value }) => value);
}
