/**
 * The credential a request carries from the gateway through the services: who it is for, signed with HMAC-SHA-256,
 * valid for one minute. Form: base64url(JSON) "." base64url(signature).
 */
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import { now } from "../clock.ts";
import type { Principal } from "./principal.ts";

const lifetimeMs = 60_000;
/** A token is used again for as long: what is made of it is still valid for the rest of its life. */
const reuseMs = 20_000;
const cachedTokens = 1_000;

interface Minted {
	readonly token: string;
	/** Milliseconds since 1970. */
	readonly until: number;
}

interface Claims {
	principal: Principal;
	/** Milliseconds since 1970. */
	expires_at: number;
}

export class InternalTokens {
	/** Made once: from bytes, the engine makes one for every signature, which costs five times the signature. */
	readonly #key: KeyObject;
	/** By the object an identity provider gives for everybody it knows. */
	readonly #minted = new WeakMap<Principal, Minted>();
	readonly #verified = new LRUCache<string, Claims>({ max: cachedTokens });

	constructor(key: Buffer) {
		this.#key = createSecretKey(key);
	}

	/** The same token for the same principal object for a while, because a signature costs as much as a small request. */
	mint(principal: Principal): string {
		const at = now();
		const former = this.#minted.get(principal);
		// A clock that was set back must not keep a token for ever.
		if (former && at < former.until && former.until <= at + reuseMs) return former.token;
		const claims: Claims = { principal, expires_at: at + lifetimeMs };
		const payload = Buffer.from(JSON.stringify(claims)).toString("base64url");
		const token = `${payload}.${this.#sign(payload).toString("base64url")}`;
		this.#verified.set(token, claims);
		this.#minted.set(principal, { token, until: at + reuseMs });
		return token;
	}

	/** The principal of a genuine token that has not expired, else nothing. */
	verify(token: string): Principal | undefined {
		const claims = this.#verified.get(token) ?? this.#read(token);
		if (!claims || claims.expires_at <= now()) return undefined;
		this.#verified.set(token, claims);
		return claims.principal;
	}

	#read(token: string): Claims | undefined {
		const [payload = "", signature = "", ...rest] = token.split(".");
		const given = Buffer.from(signature, "base64url");
		const right = this.#sign(payload);
		if (rest.length > 0 || given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
		return JSON.parse(Buffer.from(payload, "base64url").toString()) as Claims;
	}

	#sign(payload: string): Buffer {
		return createHmac("sha256", this.#key).update(payload).digest();
	}
}
