/** Reads the answers of a provider's token URL (RFC 6749 section 5). Pure. */
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import type { OAuthDefinition } from "./oauth-definition.ts";

/** The most characters of one token. */
const maxToken = 8_192;
/** The most seconds of a token's life that are believed; a longer one counts as this. */
const maxSeconds = 10 * 365 * 86_400;
const errorForm = /^[\w.-]{1,100}$/;
/** A token is one word of visible characters (RFC 6750 section 2.1), so it fits into a header and on one line. */
const tokenForm = /^[\x21-\x7e]+$/;

export interface Tokens {
	/** The members of the answer that are texts. */
	readonly texts: Readonly<Record<string, string>>;
	readonly access_token: string;
	readonly refresh_token?: string;
	/** The life of the access token in seconds; absent: the provider does not tell. */
	readonly expires_in?: number;
}

/** The provider has refused, with one of the words of RFC 6749 section 5.2. */
interface Refusal {
	readonly refused: string;
}

/** Returns the tokens or the refusal; undefined for an answer that is neither. */
export function tokenAnswer(body: string, contentType: string): Tokens | Refusal | undefined {
	const members = membersOf(body, contentType);
	if (!members) return undefined;
	const { error, access_token, refresh_token, token_type } = members;
	if (typeof error === "string") return { refused: errorForm.test(error) ? error : "an unknown error" };
	if (!isToken(access_token)) return undefined;
	if (token_type !== undefined && !isBearer(token_type)) return undefined;
	const seconds = Number(members["expires_in"]);
	return {
		texts: Object.fromEntries(
			Object.entries(members).filter((member): member is [string, string] => isToken(member[1])),
		),
		access_token,
		...(isToken(refresh_token) && { refresh_token }),
		...(seconds > 0 && { expires_in: Math.min(seconds, maxSeconds) }),
	};
}

/**
 * Returns the fields of the credential.
 * @param former The refresh token so far, which stays when the provider sends no new one (RFC 6749 section 6).
 */
export function credentialFields(
	{ token_field_mapping }: Pick<OAuthDefinition, "token_field_mapping">,
	tokens: Tokens,
	former?: string,
): Record<string, string> {
	const mapped = Object.entries(token_field_mapping).flatMap(([field, member]) => {
		const value = Object.hasOwn(tokens.texts, member) ? tokens.texts[member] : undefined;
		return value === undefined ? [] : [[field, value] as const];
	});
	const refresh = tokens.refresh_token ?? former;
	return {
		...Object.fromEntries(mapped),
		access_token: tokens.access_token,
		...(refresh !== undefined && { refresh_token: refresh }),
	};
}

/** Providers write it in letters of their own (RFC 6749 section 5.1: case does not matter). */
function isBearer(type: unknown): boolean {
	return typeof type === "string" && type.toLowerCase() === "bearer";
}

function isToken(value: unknown): value is string {
	return typeof value === "string" && value.length <= maxToken && tokenForm.test(value);
}

/** Some providers answer with a form unless they are asked for JSON, and a few even then. */
function membersOf(body: string, contentType: string): Record<string, unknown> | undefined {
	if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) return Object.fromEntries(new URLSearchParams(body));
	try {
		const value: unknown = JSON.parse(body);
		return isJsonObject(value) ? value : undefined;
	} catch {
		return undefined;
	}
}
