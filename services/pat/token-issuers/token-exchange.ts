/**
 * Issues tokens by an exchange of the caller's own token at the identity provider (RFC 8693), as a confidential client
 * that does nothing else. The provider signs the token and decides how long it lives.
 */
import { type Output, schema } from "#shared/base/schema/schema.ts";
import { compileSchema } from "#shared/base/schema/validator.ts";
import { readBounded } from "#shared/base/bounded-read.ts";
import { deadline } from "#shared/base/clock.ts";
import { ConfigError } from "#shared/config/config.ts";
import { UnprocessableError, UpstreamError } from "#shared/base/errors.ts";
import type { TokenIssuer, TokenRequest } from "../issue/token-issuer.ts";

const grantType = "urn:ietf:params:oauth:grant-type:token-exchange";
const accessTokenType = "urn:ietf:params:oauth:token-type:access_token";

const text = { type: "string", min: 1, max: 2_000 } as const;
const options = schema({
	token_url: { ...text, pattern: "^https?://" },
	client_id: text,
	client_secret: text,
	audience: { ...text, optional: true },
});
const checkOptions = compileSchema(options);

/** The provider has a default audience for each client. */
type ExchangeOptions = Output<typeof options>;

const timeoutMs = 5_000;
const maxAnswerBytes = 64 * 1024;

/** The issuer that is the identity provider. */
export class TokenExchange implements TokenIssuer {
	static readonly kwargs = Object.keys(options);
	readonly #options: ExchangeOptions;

	/** @throws {ConfigError} when an argument is missing, and for a URL without TLS that leaves this machine. */
	constructor({ token_url, client_id, client_secret, audience }: ExchangeOptions) {
		const given = { token_url, client_id, client_secret, ...(audience !== undefined && { audience }) };
		const [failure] = checkOptions({ ...given });
		const key = `Configuration key "pat.token_issuer_kwargs`;
		if (failure) throw new ConfigError(`${key}.${failure.path.join(".")}" ${failure.message}`);
		if (!isProtected(token_url)) throw new ConfigError(`${key}.token_url" must be an https URL: it carries secrets`);
		this.#options = given;
	}

	async issue({ subjectToken, lifetimeSeconds }: TokenRequest): Promise<string> {
		if (subjectToken === undefined)
			throw new UnprocessableError("A personal access token is issued for a login token only", "NO_LOGIN_TOKEN");
		const { token_url, client_id, client_secret, audience } = this.#options;
		const body = new URLSearchParams({
			grant_type: grantType,
			client_id,
			client_secret,
			subject_token: subjectToken,
			subject_token_type: accessTokenType,
			requested_token_type: accessTokenType,
			// No RFC names this parameter. A provider that does not know it ignores it (RFC 6749, 3.2).
			expires_in: String(lifetimeSeconds),
			...(audience !== undefined && { audience }),
		});
		return this.#tokenOf(await this.#post(token_url, body));
	}

	async #post(url: string, body: URLSearchParams): Promise<{ ok: boolean; status: number; text: string }> {
		try {
			const init = { method: "POST", body, redirect: "error", headers: { accept: "application/json" } } as const;
			const response = await fetch(url, { ...init, signal: deadline(timeoutMs) });
			const tooLarge = () => new Error("The answer is too large");
			const bytes = response.body
				? await readBounded(response.body, { maxBytes: maxAnswerBytes, tooLarge })
				: Buffer.alloc(0);
			return { ok: response.ok, status: response.status, text: bytes.toString("utf8") };
		} catch (cause) {
			throw new UpstreamError("The identity provider cannot be reached", "ISSUER_UNREACHABLE", { cause });
		}
	}

	#tokenOf({ ok, status, text: answer }: { ok: boolean; status: number; text: string }): string {
		const { access_token, error } = membersOf(answer);
		if (ok && typeof access_token === "string") return access_token;
		// The description of the error may repeat parts of the request; the code is one of a known list.
		const code = typeof error === "string" && /^\w{1,64}$/.test(error) ? ` (${error})` : "";
		throw new UpstreamError(`The identity provider refused the exchange: ${status}${code}`, "ISSUER_REFUSED");
	}
}

function membersOf(answer: string): Record<string, unknown> {
	try {
		const parsed: unknown = JSON.parse(answer);
		return typeof parsed === "object" && parsed !== null ? { ...parsed } : {};
	} catch {
		return {};
	}
}

/** Whether nobody on the network can read what is sent to this URL. */
function isProtected(url: string): boolean {
	if (!URL.canParse(url)) return false;
	const { protocol, hostname } = new URL(url);
	return protocol === "https:" || ["127.0.0.1", "[::1]", "localhost"].includes(hostname);
}
