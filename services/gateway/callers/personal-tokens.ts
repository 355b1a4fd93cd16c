/**
 * Authenticates personal access tokens: the identity verifies the signature, and the service `tokens` says whether the
 * token is active. That answer is remembered for some seconds, so a revoked token ends within them on every gateway,
 * also when the hint is lost. When nobody can say, the token is refused.
 */
import { LRUCache } from "lru-cache";
import { rolesWithin } from "#shared/contracts/access/admission.ts";
import type { Principal } from "#shared/base/principal.ts";
import { now } from "#shared/base/clock.ts";
import type { StoredStanding } from "#shared/contracts/identity/admissions.ts";
import type { ActiveToken } from "#shared/contracts/pat/tokens.ts";
import { ServiceError, UnauthorizedError, UnavailableError } from "#shared/base/errors.ts";
import { isPersonalToken } from "#shared/base/tokens/personal-token.ts";
import { tokenKey } from "#shared/base/tokens/token-key.ts";
import { shownClaims, strictClaims } from "#shared/base/tokens/shown-claims.ts";
import type { TokenTrust } from "./identity-provider.ts";
import { RememberedAnswers } from "#shared/base/concurrency/remembered-answers.ts";

interface PersonalTokensDependencies {
	/** The knowledge of the identity; absent: it accepts no tokens. */
	readonly trust: TokenTrust | undefined;
	/** The client that tokens of the configured issuer name; absent: the platform itself is the issuer. */
	readonly clientId: string | undefined;
	/** How long an answer is remembered, in milliseconds. */
	readonly rememberedMs: number;
	/** A token works for this time after the provider's last word about its person, in milliseconds. */
	readonly confirmedWithinMs: number;
	/** Asks the service for the active token with this key. */
	readonly ask: (key: string) => Promise<ActiveToken | undefined>;
}

const dayMs = 86_400_000;

/** The reading of a text, which is done once. It does not say that the token is valid. */
interface Reading {
	readonly isPersonal: boolean;
	/** The key of a token that was valid once, in its only spelling. */
	key?: string;
}

/** The most texts whose reading is remembered, and the longest of them in characters: 8 MB together. */
const maxReadings = 2_000;
const maxReadText = 4_096;

/** The memory of tokens is bounded in count and in time. */
export class PersonalTokens {
	readonly #dependencies: PersonalTokensDependencies;
	readonly #active: RememberedAnswers<ActiveToken | undefined>;
	readonly #readings = new LRUCache<string, Reading>({ max: maxReadings });
	/** The principals of active tokens, each with the roles of its person. */
	readonly #principals = new WeakMap<ActiveToken, { standing: StoredStanding; principal: Principal }>();

	constructor(dependencies: PersonalTokensDependencies) {
		this.#dependencies = dependencies;
		// That a token is not active is asked again: the gateway may have been faster than a new token's document.
		this.#active = new RememberedAnswers(dependencies.rememberedMs, false);
	}

	/**
	 * Whether the text shows the claims of a personal access token, in whatever spelling. The identity never gets such a
	 * text: it would take it for a login, which nobody can revoke.
	 */
	claims(text: string): boolean {
		return this.#reading(text).isPersonal;
	}

	/**
	 * Returns the person for whom the token stands, with the roles that the person has now.
	 * @throws {UnauthorizedError} for a token that is not valid or not active; {UnavailableError} when nobody can say.
	 */
	async authenticate(text: string): Promise<Principal> {
		const { trust } = this.#dependencies;
		const key = trust && (await this.#verifiedKey(text, trust));
		if (!trust || key === undefined) throw new UnauthorizedError();
		const token = await this.#active.to(key, () => this.#ask(key));
		if (!token || token.expires_at <= now()) throw new UnauthorizedError("Token has been revoked", "TOKEN_REVOKED");
		const { tenant, owner: id } = token;
		const standing = await trust.standingOf({ tenant, id });
		if (!standing)
			throw new UnauthorizedError("The token's owner may not use this installation any more", "OWNER_GONE");
		this.#refuseFormer(token, standing);
		return this.#principalOf(token, standing);
	}

	/** Refuses a token of a membership that has ended since, and one whose owner's provider has been silent for too long. */
	#refuseFormer({ epoch: own = 0 }: ActiveToken, { epoch, confirmed_at }: StoredStanding): void {
		if (epoch !== undefined && own !== epoch)
			throw new UnauthorizedError("The token's owner has left its tenant since it was made", "OWNER_GONE");
		const { confirmedWithinMs } = this.#dependencies;
		if (confirmed_at !== undefined && now() - confirmed_at > confirmedWithinMs)
			throw new UnauthorizedError(
				`The token's owner has not logged in for ${Math.floor(confirmedWithinMs / dayMs)} days: a login makes it work again`,
				"OWNER_UNCONFIRMED",
			);
	}

	/** Returns the same object as before for the same answers about token and person. */
	#principalOf(token: ActiveToken, standing: StoredStanding): Principal {
		const known = this.#principals.get(token);
		if (known?.standing === standing) return known.principal;
		const { tenant, owner: id, scope } = token;
		const principal: Principal = { kind: "pat", id, tenant, roles: rolesWithin(standing.roles, scope) };
		this.#principals.set(token, { standing, principal });
		return principal;
	}

	/** Forgets that these tokens are active. */
	forget(keys: readonly string[]): void {
		for (const key of keys) this.#active.forget(key);
	}

	/** Returns the key of a token that is valid now, in its only spelling; undefined for every other text. */
	async #verifiedKey(text: string, trust: TokenTrust): Promise<string | undefined> {
		const reading = this.#reading(text);
		if (reading.key === undefined && !strictClaims(text)) return undefined;
		const claims = await trust.claimsOf(text);
		if (!claims || !isPersonalToken(claims, this.#dependencies.clientId)) return undefined;
		return (reading.key ??= tokenKey(text, claims));
	}

	#reading(text: string): Reading {
		const known = this.#readings.get(text);
		if (known) return known;
		const claims = shownClaims(text);
		const reading = { isPersonal: claims !== undefined && isPersonalToken(claims, this.#dependencies.clientId) };
		if (text.length <= maxReadText) this.#readings.set(text, reading);
		return reading;
	}

	async #ask(key: string): Promise<ActiveToken | undefined> {
		try {
			return await this.#dependencies.ask(key);
		} catch (error) {
			const isForeseen = error instanceof ServiceError || (error instanceof Error && "type" in error);
			if (!isForeseen) throw error;
			throw new UnavailableError("Whether the token is still active cannot be found out", "TOKEN_STATE_UNKNOWN");
		}
	}
}
