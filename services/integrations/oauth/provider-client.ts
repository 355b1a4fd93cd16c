/** Requests to the token URL and the revocation URL of a provider (RFC 6749, 7009). Both are of the configuration. */
import { BadRequestError, UpstreamError } from "#shared/base/errors.ts";
import type { Outbound, OutboundAnswer } from "#shared/net/outbound/outbound.ts";
import type { OAuthClient, OAuthProvider } from "./oauth-definition.ts";
import { tokenAnswer, type Tokens } from "./token-answer.ts";

/** The time for one request, in milliseconds. A callback has 8 s, and stores the tokens within it. */
const timeoutMs = 5_000;
/** The bound of an answer; tokens have a few kilobytes. */
const maxBytes = 65_536;

/**
 * The words by which providers say that a grant has ended (RFC 6749 section 5.2, and two of their own). Other refusals pass:
 * too many requests, a provider that is ill, a secret of our client that is being replaced.
 */
const endings: readonly string[] = ["invalid_grant", "bad_refresh_token", "invalid_refresh_token"];

/** The provider has refused a login or a refresh token. */
export class OAuthRefusedError extends BadRequestError {
	/** Whether another attempt with the same grant would be refused too. */
	readonly isFinal: boolean;

	constructor(slug: string, reason: string) {
		super(`The provider of "${slug}" refused: ${reason}`, "OAUTH_REFUSED");
		this.isFinal = endings.includes(reason);
	}
}

/** The code of a login, as the provider sent it, and what proves that the login is ours. */
interface CodeExchange {
	readonly code: string;
	readonly redirectUri: string;
	readonly verifier: string;
}

export class ProviderClient {
	readonly #outbound: Pick<Outbound, "send">;

	constructor(outbound: Pick<Outbound, "send">) {
		this.#outbound = outbound;
	}

	/**
	 * Exchanges a code for tokens.
	 * @throws {OAuthRefusedError}; {UpstreamError | TimeoutError} when there is no answer that can be used.
	 */
	exchange(provider: OAuthProvider, { code, redirectUri, verifier }: CodeExchange): Promise<Tokens> {
		return this.#tokens(provider, {
			grant_type: "authorization_code",
			code,
			redirect_uri: redirectUri,
			code_verifier: verifier,
		});
	}

	/** Exchanges a refresh token for new tokens. @throws as {@link exchange} does. */
	refresh(provider: OAuthProvider, refresh_token: string): Promise<Tokens> {
		return this.#tokens(provider, { grant_type: "refresh_token", refresh_token });
	}

	/** Revokes a token. Resolves to false when the provider offers that and has not done it. */
	async revoke(provider: OAuthProvider, token: string, kind: "refresh_token" | "access_token"): Promise<boolean> {
		const { revoke_url } = provider.definition;
		if (revoke_url === "") return true;
		const form = { token, token_type_hint: kind };
		const answer = await this.#post(revoke_url, provider.client, form).catch(() => undefined);
		return answer !== undefined && answer.status < 300;
	}

	async #tokens(provider: OAuthProvider, form: Record<string, string>): Promise<Tokens> {
		const { slug, client, definition } = provider;
		const answer = await this.#post(definition.token_url, client, { ...definition.extra_token_params, ...form });
		const { status, headers, body } = answer;
		const read = tokenAnswer(body.toString("utf8"), headers["content-type"] ?? "");
		if (read && "refused" in read && status < 500) throw new OAuthRefusedError(slug, read.refused);
		if (read && !("refused" in read) && status === 200) return read;
		throw new UpstreamError(
			`The provider of "${slug}" answered ${status} without tokens that can be used`,
			"OAUTH_ANSWER",
		);
	}

	#post(url: string, client: OAuthClient, form: Record<string, string>): Promise<OutboundAnswer> {
		const { client_id, client_secret, auth_method } = client;
		const usesHeader = auth_method === "basic" && client_secret !== "";
		const own = usesHeader ? {} : { client_id, ...(client_secret !== "" && { client_secret }) };
		return this.#outbound.send({
			url,
			method: "POST",
			headers: {
				"content-type": "application/x-www-form-urlencoded",
				accept: "application/json",
				...(usesHeader && { authorization: basicHeader(client_id, client_secret) }),
			},
			body: new URLSearchParams({ ...form, ...own }).toString(),
			isConfigured: true,
			timeoutMs,
			maxBytes,
		});
	}
}

/** Both parts are form-encoded before they are joined (RFC 6749 section 2.3.1). */
function basicHeader(id: string, secret: string): string {
	return `Basic ${Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`).toString("base64")}`;
}

function formEncoded(text: string): string {
	return new URLSearchParams({ text }).toString().slice("text=".length);
}
