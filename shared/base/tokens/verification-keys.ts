/** The keys that verify signatures. A key has one algorithm: the header of a token never chooses another one for it. */
import { type CryptoKey, importJWK, type JWK } from "jose";

const publicAlgorithms = ["RS256", "ES256", "EdDSA"] as const;
type PublicAlgorithm = (typeof publicAlgorithms)[number];

/** Whether issuers with a key pair sign with this algorithm. */
export function isPublicAlgorithm(alg: string): boolean {
	return publicAlgorithms.some((one) => one === alg);
}

/** `HS256` is the algorithm of a platform that verifies its own tokens; no key set has such a key. */
export type SigningAlgorithm = PublicAlgorithm | "HS256";

/** One key. The object stays the same while its source has the key. */
export interface VerificationKey {
	readonly kid?: string | undefined;
	readonly alg: SigningAlgorithm;
	readonly key: CryptoKey | Uint8Array;
}

export interface KeySource {
	/**
	 * Returns the key with this name for this algorithm; undefined when the source has none. Without a name, the key is
	 * the only one of the algorithm.
	 * @throws {UnavailableError} when the source cannot be asked.
	 */
	find(alg: string, kid: string | undefined): Promise<VerificationKey | undefined>;
}

/** Returns the key among these that a token names. */
export function keyAmong(
	keys: readonly VerificationKey[],
	alg: string,
	kid: string | undefined,
): VerificationKey | undefined {
	const fitting = keys.filter((key) => key.alg === alg && (kid === undefined || key.kid === kid));
	return kid !== undefined || fitting.length === 1 ? fitting[0] : undefined;
}

/** The least size of an RSA key in bytes (RFC 7518 3.3). */
const minModulusBytes = 256;

/** Imports the public part of a key of a key set; undefined for keys that verify no token, or with no allowed algorithm. */
export async function importPublicKey(jwk: JWK): Promise<VerificationKey | undefined> {
	const alg = algorithmOf(jwk);
	if (alg === undefined || !isForSignatures(jwk) || isSmall(jwk)) return undefined;
	const { kty, crv, n, e, x, y, kid } = jwk;
	const members = Object.entries({ kty, crv, n, e, x, y }).filter(([, value]) => value !== undefined);
	const key = await importJWK(Object.fromEntries(members) as JWK, alg);
	return { kid: typeof kid === "string" ? kid : undefined, alg, key };
}

function isForSignatures({ use = "sig", key_ops: operations = ["verify"] }: JWK): boolean {
	return use === "sig" && Array.isArray(operations) && operations.includes("verify");
}

function isSmall({ kty, n = "" }: JWK): boolean {
	return kty === "RSA" && Buffer.from(n, "base64url").length < minModulusBytes;
}

function algorithmOf({ kty, crv, alg }: JWK): PublicAlgorithm | undefined {
	const own = kty === "RSA" ? "RS256" : crv === "P-256" && kty === "EC" ? "ES256" : edwards(kty, crv);
	const named = alg === "Ed25519" ? "EdDSA" : alg;
	return named === undefined || named === own ? own : undefined;
}

function edwards(kty: string | undefined, crv: string | undefined): PublicAlgorithm | undefined {
	return kty === "OKP" && crv === "Ed25519" ? "EdDSA" : undefined;
}
