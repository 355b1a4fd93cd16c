/** Key pairs of an issuer, and tokens signed with them, for tests that make tokens of their own. */
import { SignJWT, exportJWK, generateKeyPair, type CryptoKey, type JWK } from "jose";

export type PublicAlg = "RS256" | "ES256" | "EdDSA";

/** One key pair; `jwk` is its public part as a key set has it. */
export interface SigningKey {
	readonly alg: PublicAlg;
	readonly kid: string;
	readonly privateKey: CryptoKey;
	readonly publicKey: CryptoKey;
	readonly jwk: JWK;
}

export async function signingKey(alg: PublicAlg, kid: string = alg): Promise<SigningKey> {
	const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
	return { alg, kid, privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } };
}

/** Signs claims. @param header Members that replace those of an access token (RFC 9068). */
export function signed(key: SigningKey, claims: Record<string, unknown>, header: object = {}): Promise<string> {
	return new SignJWT(claims)
		.setProtectedHeader({ alg: key.alg, kid: key.kid, typ: "at+jwt", ...header })
		.sign(key.privateKey);
}
