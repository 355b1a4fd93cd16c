/** Offers logins at the providers of integrations on the bus. */
import type { Service, ServiceSchema } from "moleculer";
import { implement } from "#shared/bus/service.ts";
import { RecurringJob } from "#shared/base/concurrency/recurring-job.ts";
import { oauth } from "#shared/contracts/integrations/oauth.ts";
import type { OAuthStates } from "./oauth/oauth-states.ts";
import type { OAuthTokens } from "./oauth-tokens.ts";
import type { OAuthLogins } from "./oauth/oauth-logins.ts";

export interface OAuthServiceDependencies {
	readonly logins: OAuthLogins;
	readonly tokens: OAuthTokens;
	readonly states: OAuthStates;
}

/** How often logins that nobody ended are removed, in milliseconds. */
const cleaningMs = 60_000;

export function oauthService({ logins, tokens, states }: OAuthServiceDependencies): ServiceSchema {
	let cleaning: RecurringJob | undefined;

	return {
		name: oauth.name,
		actions: implement(oauth, {
			authorize: async ({ slug }, { tenant, id: owner }, { meta }) => ({
				url: await logins.begin({ tenant, owner }, slug, meta.browser),
			}),

			callback: (redirect, _anybody, { meta }) => logins.end(redirect, meta.browser),

			disconnect: ({ slug }, { tenant, id: owner }) => logins.disconnect({ tenant, owner }, slug),
		}),

		created(this: Service) {
			tokens.attach(this.broker);
		},

		async started(this: Service) {
			const onError = (error: unknown) => this.logger.warn("Old logins cannot be removed:", error);
			cleaning = new RecurringJob({ everyMs: cleaningMs, work: () => states.removeOld(), onError });
			cleaning.start();
		},

		stopped: async () => cleaning?.stop(),
	};
}
