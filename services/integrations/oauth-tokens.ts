/** Keeps the tokens of logins as credentials, by the credentials service. */
import { systemPrincipal } from "#shared/base/principal.ts";
import { type Caller, call, publish, type Publisher } from "#shared/bus/service.ts";
import { vouch } from "#shared/bus/vouched-principal.ts";
import { tokenCredentials } from "#shared/contracts/credentials/token-credentials.ts";
import { tokensRenewed } from "#shared/contracts/integrations/oauth.ts";
import { UnavailableError } from "#shared/base/errors.ts";
import type { TokenCredential, TokenKeeper } from "./oauth/connected-account.ts";
import type { Person } from "./oauth/oauth-definition.ts";

const job = { meta: { principal: vouch(systemPrincipal("integrations")) } };

/** The credentials service as logins use it; it has a bus when the process has joined it. */
export class OAuthTokens implements TokenKeeper {
	#bus: (Caller & Publisher) | undefined;

	attach(bus: Caller & Publisher): void {
		this.#bus = bus;
	}

	async read({ tenant, owner }: Person, name: string): Promise<Readonly<Record<string, string>> | undefined> {
		return (await call(this.#caller, tokenCredentials.actions.read, { tenant, owner, name }, job)) ?? undefined;
	}

	async put({ tenant, owner }: Person, { name, data, metadata }: TokenCredential): Promise<void> {
		const asked = { tenant, owner, name, data: { ...data }, metadata: { ...metadata } };
		await call(this.#caller, tokenCredentials.actions.put, asked, job);
	}

	async delete({ tenant, owner }: Person, name: string): Promise<void> {
		await call(this.#caller, tokenCredentials.actions.delete, { tenant, owner, name }, job);
	}

	/** Tells pod managers, which look by themselves when they miss it. */
	announce({ tenant, owner }: Person): void {
		if (this.#bus) publish(this.#bus, tokensRenewed, { tenant, owner }).catch(() => {});
	}

	get #caller(): Caller {
		if (!this.#bus) throw new UnavailableError("The platform is starting");
		return this.#bus;
	}
}
