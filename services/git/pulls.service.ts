/** Offers pull requests on the bus. */
import type { ServiceSchema } from "moleculer";
import { call, serviceOf, type RequestContext } from "#shared/bus/service.ts";
import { chronicles } from "#shared/contracts/sessions/chronicles.ts";
import { pulls } from "#shared/contracts/git/pulls.ts";
import { users } from "#shared/contracts/identity/users.ts";
import { sessionControl } from "#shared/contracts/sessions/session-control.ts";
import { sessions } from "#shared/contracts/sessions/sessions.ts";
import { unlessForeseen } from "#shared/base/errors.ts";
import { memoryPage } from "#shared/store/pages/memory-page.ts";
import { commitAuthor } from "./pulls/commit-author.ts";
import type { PullCreations } from "./pulls/pull-creations.ts";
import type { PullMerges } from "./pulls/pull-merges.ts";
import type { PullQueries } from "./pulls/pull-queries.ts";
import type { SessionGateway } from "./pulls/session-gateway.ts";

interface PullsServiceDependencies {
	readonly creations: PullCreations;
	readonly queries: PullQueries;
	readonly merges: PullMerges;
}

export function pullsService({ creations, queries, merges }: PullsServiceDependencies): ServiceSchema {
	return serviceOf(pulls, {
		async list({ repo_url, status, ...page }, principal, { meta: { if_none_match: known } }) {
			const listed = await queries.list(principal, repo_url, status);
			return memoryPage(listed, ({ number }) => ({ value: -number, id: String(number) }), { ...page, known });
		},

		create: (request, principal, ctx) =>
			creations.create({ principal, request, key: ctx.meta.idempotency_key, gateway: gatewayOf(ctx) }),

		get: (name, principal) => queries.get(principal, name),
		merge: ({ repo_url, number, ...wishes }, principal) => merges.merge(principal, { repo_url, number }, wishes),
		ci: async ({ repo_url, branch }, principal) => ({ status: await queries.ci(principal, repo_url, branch) }),
		of_session: ({ session_id }, principal, ctx) => queries.ofSession(principal, session_id, gatewayOf(ctx)),
	});
}

/** The context of the request passes its principal on, so the other services decide what the person may do. */
function gatewayOf(ctx: RequestContext): SessionGateway {
	return {
		session: (session_id) => call(ctx, sessions.actions.get, { session_id }),
		chronicle: (session_id) => call(ctx, chronicles.actions.newest, { session_id }).catch(unlessForeseen),
		publish: (order) => call(ctx, sessionControl.actions.publish, order),
		async author() {
			const me = await call(ctx, users.actions.me, {}).catch(unlessForeseen);
			return me && commitAuthor(me);
		},
	};
}
