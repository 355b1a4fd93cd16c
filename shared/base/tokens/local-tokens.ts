/**
 * Personal access tokens that the platform signs itself (HS256), for the identity `dev`, which has no identity provider.
 * The key derives from the installation's key and no other identity knows it, so they are refused everywhere else.
 */
import { createHmac } from "node:crypto";
import type { Claims } from "./jwt-form.ts";
import { JwtVerifier } from "./jwt-verifier.ts";
import { TokenRefusedError } from "./token-refused.ts";
import type { VerificationKey } from "./verification-keys.ts";

export const localIssuer = "atelier-local";

const audience = "atelier";
const header = encoded({ alg: "HS256", typ: "at+jwt" });

export class LocalTokens {
	readonly #key: Buffer;
	readonly #verifier: JwtVerifier;

	/** @param key The key, of 32 bytes. */
	constructor(key: Buffer) {
		this.#key = key;
		const own: VerificationKey = { alg: "HS256", key };
		const keys = { find: async (alg: string) => (alg === own.alg ? own : undefined) };
		this.#verifier = new JwtVerifier({ issuer: localIssuer, audience, keys });
	}

	sign(claims: Claims): string {
		const text = `${header}.${encoded({ ...claims, iss: localIssuer, aud: audience })}`;
		return `${text}.${createHmac("sha256", this.#key).update(text).digest("base64url")}`;
	}

	/** Returns the claims of a valid token; undefined for every other text. */
	async verify(text: string): Promise<Claims | undefined> {
		try {
			return (await this.#verifier.verify(text)).claims;
		} catch (error) {
			if (error instanceof TokenRefusedError) return undefined;
			throw error;
		}
	}
}

function encoded(value: object): string {
	return Buffer.from(JSON.stringify(value)).toString("base64url");
}
