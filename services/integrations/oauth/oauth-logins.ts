/** Logins at providers: begun by a person, ended by the provider's redirect of a browser, undone by the person. */
import type { ParamsOf } from "#shared/contracts/contract.ts";
import type { oauth } from "#shared/contracts/integrations/oauth.ts";
import { timingSafeEqual } from "node:crypto";
import { BadRequestError, InvalidParametersError, NotFoundError } from "#shared/base/errors.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import type { InstallationKey } from "#shared/base/secrets/keys.ts";
import { authorizeUrl } from "./authorize-url.ts";
import { confirmationPage, connectedPage, type Page, refusedPage } from "./callback-page.ts";
import { type ConnectionKeeper, credentialName, tokenCredential, type TokenKeeper } from "./connected-account.ts";
import type { OAuthProvider, Person } from "./oauth-definition.ts";
import type { OAuthProviders } from "./oauth-providers.ts";
import type { Grant, OAuthGrants } from "./oauth-grants.ts";
import { lifeOf } from "./oauth-refresh.ts";
import type { OAuthStates, PendingLogin } from "./oauth-states.ts";
import type { ProviderClient } from "./provider-client.ts";
import { credentialFields } from "./token-answer.ts";

type Redirect = ParamsOf<typeof oauth.actions.callback>;

interface LoginDependencies {
	readonly states: OAuthStates;
	readonly grants: OAuthGrants;
	readonly client: ProviderClient;
	readonly tokens: TokenKeeper;
	readonly connections: ConnectionKeeper;
	readonly key: InstallationKey;
	readonly providers: OAuthProviders;
	/** @throws {BadRequestError} when the configuration does not tell. */
	readonly redirectUri: () => string;
	/** Whether all callers are one person, so that no browser can belong to somebody else. */
	readonly trustsCallers: boolean;
	/** Tells that a person's tokens are new. */
	readonly onRenewed: (person: Person) => void;
}

export class OAuthLogins {
	readonly #dependencies: LoginDependencies;

	constructor(dependencies: LoginDependencies) {
		this.#dependencies = dependencies;
	}

	/** Begins a login and returns the URL for the person's browser. @throws as the dependencies do. */
	async begin(person: Person, slug: string, browser: string | undefined): Promise<string> {
		const { states, key, providers, redirectUri: uriOf } = this.#dependencies;
		const provider = await providers.require(slug);
		const redirectUri = uriOf();
		const state = await states.begin(person, slug, browser);
		return authorizeUrl(provider, { state, redirectUri, verifier: key.oauthSecret("verifier", state) });
	}

	/**
	 * Ends a login and returns the page for the browser.
	 * @throws {BadRequestError} for a state that is unknown, used or old, and when the provider refuses the code.
	 */
	async end(redirect: Redirect, browser: string | undefined): Promise<Page> {
		const { states, providers } = this.#dependencies;
		const { state, code, error } = redirect;
		if (code === undefined && error === undefined) throw missingCode();
		const login = await states.find(state);
		if (!login) throw unknownState();
		const provider = await providers.require(login.slug).catch(asBadRequest);
		const given = error === undefined ? code : undefined;
		if (given !== undefined && !this.#isOwn(login, redirect, browser)) return this.#question(login, provider, redirect);
		return this.#conclude(login, provider, { ...redirect, code: given });
	}

	/** Takes the login, so that its state is used in any case. */
	async #conclude(login: PendingLogin, provider: OAuthProvider, redirect: Redirect): Promise<Page> {
		const { state, code, error = "" } = redirect;
		if (!(await this.#dependencies.states.take(login))) throw unknownState();
		refuseIssuer(provider, redirect);
		if (code === undefined) return refusedPage(provider.name, error);
		await this.#connect(login, provider, { state, code });
		return connectedPage(provider.name);
	}

	/** Removes what a login has left. It may be repeated after a failure. @throws {NotFoundError} {UnavailableError} */
	async disconnect(person: Person, slug: string): Promise<void> {
		const { grants, tokens, connections, providers } = this.#dependencies;
		if (!(await grants.get(person, slug)))
			throw new NotFoundError(`There is no connection to "${slug}" by a login`, "OAUTH_CONNECTION");
		await this.#holding(person, slug, async (held) => {
			const fields = await tokens.read(person, credentialName(slug));
			const provider = await providers.find(slug);
			if (fields && provider) await this.#revoke(provider, fields);
			failpoint("integrations.oauth-revoked");
			await connections.disconnect(person, slug);
			await tokens.delete(person, credentialName(slug));
			await grants.remove(held);
		});
	}

	/** Does what nobody else may do with the tokens meanwhile. A failure lets the grant go, so that it can be repeated. */
	async #holding(person: Person, slug: string, work: (held: Grant) => Promise<void>): Promise<void> {
		const { grants } = this.#dependencies;
		const held = await grants.holdNew(person, slug);
		try {
			await work(held);
		} catch (error) {
			await grants.release(held).catch(() => {});
			throw error;
		}
	}

	async #connect(
		login: PendingLogin,
		provider: OAuthProvider,
		{ state, code }: { readonly state: string; readonly code: string },
	): Promise<void> {
		const { client, grants, tokens, connections, key, redirectUri, onRenewed } = this.#dependencies;
		const { slug } = login;
		const verifier = key.oauthSecret("verifier", state);
		const given = await client.exchange(provider, { code, redirectUri: redirectUri(), verifier });
		failpoint("integrations.oauth-exchanged");
		const credential = tokenCredential(slug, credentialFields(provider.definition, given));
		await this.#holding(login, slug, async (held) => {
			await tokens.put(login, credential);
			await connections.connect(login, slug, credential.name);
			await grants.renew(held, lifeOf(given));
		});
		onRenewed(login);
	}

	/** A refresh token revokes the access tokens with it (RFC 7009 section 2.1). */
	async #revoke(provider: OAuthProvider, fields: Readonly<Record<string, string>>): Promise<void> {
		const { client } = this.#dependencies;
		const { refresh_token, access_token } = fields;
		if (refresh_token !== undefined) await client.revoke(provider, refresh_token, "refresh_token");
		else if (access_token !== undefined) await client.revoke(provider, access_token, "access_token");
	}

	/** Whether the browser that was redirected is the person's own. */
	#isOwn({ browser: began }: PendingLogin, redirect: Redirect, browser: string | undefined): boolean {
		if (this.#dependencies.trustsCallers || (began !== undefined && began === browser)) return true;
		const proof = Buffer.from(this.#proofOf(redirect));
		const shown = Buffer.from(redirect.confirm ?? "");
		return proof.length === shown.length && timingSafeEqual(proof, shown);
	}

	#question({ owner, tenant }: PendingLogin, { name }: OAuthProvider, redirect: Redirect): Page {
		const { state, code = "", iss } = redirect;
		const query = new URLSearchParams({
			state,
			code,
			...(iss !== undefined && { iss }),
			confirm: this.#proofOf(redirect),
		});
		return confirmationPage({ name, owner, tenant, query: query.toString() });
	}

	#proofOf({ state, code = "" }: Redirect): string {
		return this.#dependencies.key.oauthSecret("confirmation", JSON.stringify([state, code]));
	}
}

/** An answer of another provider than the one that was asked is refused (RFC 9207). @throws {BadRequestError} */
function refuseIssuer({ slug, definition: { issuer } }: OAuthProvider, { iss }: Redirect): void {
	if (issuer !== "" && iss !== issuer)
		throw new BadRequestError(`The redirect is not of the issuer of "${slug}"`, "OAUTH_ISSUER");
}

function unknownState(): BadRequestError {
	return new BadRequestError(
		"The state of this login is unknown, was used already, or is older than five minutes; begin again",
		"OAUTH_STATE",
	);
}

function missingCode(): InvalidParametersError {
	return new InvalidParametersError([{ type: "required", path: ["code"], message: "The code is missing" }]);
}

/** The configuration may have lost the integration since the login began. */
function asBadRequest(error: unknown): never {
	throw error instanceof NotFoundError ? new BadRequestError(error.message, error.type) : error;
}
