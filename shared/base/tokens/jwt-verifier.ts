/**
 * Verifies signed tokens: the only module that decides whether a token is genuine. One verifier has one issuer, one
 * audience and one source of keys.
 */
import { compactVerify } from "jose";
import { LRUCache } from "lru-cache";
import { hash } from "node:crypto";
import { now } from "../clock.ts";
import { type Claims, readJwt } from "./jwt-form.ts";
import { refuseByTime, refuseOtherKinds, type StandardClaims, standardClaims, type TokenRules } from "./jwt-rules.ts";
import { TokenRefusedError } from "./token-refused.ts";
import type { KeySource, VerificationKey } from "./verification-keys.ts";

export interface VerifierOptions extends TokenRules {
	readonly keys: KeySource;
}

/** A genuine token that is valid now. */
export interface VerifiedJwt extends StandardClaims {
	/** All claims, as they were signed. */
	readonly claims: Claims;
	/**
	 * SHA-256, in base64url, of header and claims as they were signed. It names the token however its signature is
	 * written: the owner of an ES256 token can compute a second valid signature from the first one.
	 */
	readonly digest: string;
}

interface Remembered {
	readonly key: VerificationKey;
	readonly verified: VerifiedJwt;
}

/** The tokens whose signatures a process remembers, each with its claims; and the characters of all their names. */
const maxRemembered = 10_000;
const maxCharacters = 8_388_608;
/** A token up to this length is its own name, which costs less than its digest. */
const maxOwnName = 2_048;

export class JwtVerifier {
	readonly #options: VerifierOptions;
	/** Verified signatures by the text or its digest, each with the key that verified it. Times are checked at each use. */
	readonly #remembered = new LRUCache<string, Remembered>({
		max: maxRemembered,
		maxSize: maxCharacters,
		sizeCalculation: (_remembered, name) => name.length,
	});

	constructor(options: VerifierOptions) {
		this.#options = options;
	}

	/**
	 * Returns what a token says, when it is genuine and valid now.
	 * @throws {TokenRefusedError} for every other text; {UnavailableError} when the issuer's keys cannot be had.
	 */
	async verify(text: string): Promise<VerifiedJwt> {
		const name = text.length <= maxOwnName ? text : digestOf(text);
		const remembered = this.#remembered.get(name);
		if (remembered && (await this.#isStillAKey(remembered.key))) {
			refuseByTime(remembered.verified.claims, now());
			return remembered.verified;
		}
		const fresh = await this.#verify(text);
		this.#remembered.set(name, fresh);
		return fresh.verified;
	}

	/** Whether the source has the key now: a key that its issuer withdraws ends the tokens that it has signed. */
	async #isStillAKey(key: VerificationKey): Promise<boolean> {
		return (await this.#options.keys.find(key.alg, key.kid)) === key;
	}

	async #verify(text: string): Promise<Remembered> {
		const { header, claims } = readJwt(text);
		// The cheap rules come first, so that tokens of others cause neither a fetch of keys nor a computation.
		const standard = standardClaims(claims, this.#options, now());
		refuseOtherKinds(header, claims);
		const key = await this.#options.keys.find(header.alg, header.kid);
		if (!key) throw new TokenRefusedError("key");
		await compactVerify(text, key.key, { algorithms: [key.alg] }).catch((cause: unknown) => {
			throw new TokenRefusedError("signature", { cause });
		});
		return { key, verified: { ...standard, claims, digest: digestOf(text.slice(0, text.lastIndexOf("."))) } };
	}
}

function digestOf(text: string): string {
	return hash("sha256", text, "base64url");
}
