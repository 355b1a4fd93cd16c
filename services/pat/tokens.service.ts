/** Offers personal access tokens on the bus. */
import type { Service, ServiceSchema } from "moleculer";
import { implement, publish } from "#shared/bus/service.ts";
import { tokens, tokensRevoked } from "#shared/contracts/pat/tokens.ts";
import type { TokenIssuance } from "./issue/token-issuance.ts";
import type { TokenRecords } from "./record/token-records.ts";
import type { TokenUses } from "./record/token-uses.ts";

interface TokensServiceDependencies {
	readonly records: TokenRecords;
	readonly issuance: TokenIssuance;
	readonly uses: TokenUses;
}

export function tokensService({ records, issuance, uses }: TokensServiceDependencies): ServiceSchema {
	return {
		name: tokens.name,
		actions: implement(tokens, {
			list: (page, principal, { meta }) => records.list(principal, { ...page, known: meta.if_none_match }),

			create: (request, principal, { meta }) => issuance.issue(principal, request, meta),

			async revoke({ pat_id }, principal, ctx) {
				await publish(ctx, tokensRevoked, { keys: [await records.revoke(principal, pat_id)] });
			},

			async revoke_all(_params, principal, ctx) {
				const keys = await records.revokeAll(principal);
				if (keys.length > 0) await publish(ctx, tokensRevoked, { keys });
			},

			async check({ key }) {
				const token = await records.active(key);
				if (token) uses.note(token.id);
				return token ? { token } : {};
			},
		}),

		async started(this: Service) {
			uses.start();
		},
	};
}
