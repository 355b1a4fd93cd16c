/**
 * Replaces tokens before they end. It happens when a token is about to be used, and the pod manager asks for the tokens
 * of running sessions again and again, so there is no other timer.
 */
import { monotonic, now, sleep } from "#shared/base/clock.ts";
import { failpoint } from "#shared/base/failpoints.ts";
import type { ServiceLog } from "#shared/base/service-log.ts";
import { credentialName, type TokenCredential, tokenCredential, type TokenKeeper } from "./connected-account.ts";
import type { OAuthProvider, Person } from "./oauth-definition.ts";
import type { Grant, TokenLifetime, OAuthGrants } from "./oauth-grants.ts";
import { OAuthRefusedError, type ProviderClient } from "./provider-client.ts";
import { credentialFields, type Tokens } from "./token-answer.ts";

/** A token is replaced this long before its end, in milliseconds; one that lives for a short time, at its half. */
const marginMs = 300_000;
/** How long the user of a token waits for a new one, in milliseconds: while the token works, and when it has ended. */
const waitMs = { working: 1_000, ended: 2_500 } as const;
const pauseMs = 50;
/** How long new tokens are tried to be stored, in milliseconds, and how often. The grant is held for longer. */
const storingMs = 8_000;
const storingPauseMs = 200;

interface RefreshDependencies {
	readonly grants: OAuthGrants;
	readonly client: Pick<ProviderClient, "refresh">;
	readonly tokens: TokenKeeper;
	/** Returns the provider; undefined when the configuration does not have it any more. */
	readonly providerOf: (slug: string) => Promise<OAuthProvider | undefined>;
	/** Tells that a person's tokens are new, so that running sessions get them. */
	readonly onRenewed: (person: Person) => void;
	readonly log: ServiceLog;
}

/** A replacement goes on when nobody waits for it any more; `settled` waits for all. */
export class OAuthRefresh {
	readonly #dependencies: RefreshDependencies;
	readonly #underWay = new Set<Promise<void>>();

	constructor(dependencies: RefreshDependencies) {
		this.#dependencies = dependencies;
	}

	/**
	 * Resolves when the tokens of a person are fresh, or cannot be replaced now. A provider's failure is no error here: a
	 * token that has ended shows that where it is used. A slow provider delays nobody for long.
	 */
	async freshen(person: Person): Promise<void> {
		const due = (await this.#dependencies.grants.of(person)).filter(isDue);
		await Promise.all(
			due.map(async (grant) => {
				const ms = hasEnded(grant) ? waitMs.ended : waitMs.working;
				const waiting = new AbortController();
				await Promise.race([this.#started(grant, ms), sleep(ms, waiting.signal)]);
				waiting.abort();
			}),
		);
	}

	/** Resolves when nothing is under way. */
	async settled(): Promise<void> {
		await Promise.all(this.#underWay);
	}

	/** Begins the replacement, which goes on when nobody waits for it any more. */
	#started(grant: Grant, ms: number): Promise<void> {
		const work: Promise<void> = this.#freshenOne(grant, ms)
			.catch((error: unknown) => this.#dependencies.log.error(`A token of "${grant.slug}" cannot be replaced:`, error))
			.finally(() => this.#underWay.delete(work));
		this.#underWay.add(work);
		return work;
	}

	async #freshenOne({ slug, ...person }: Grant, ms: number): Promise<void> {
		const { grants, providerOf } = this.#dependencies;
		const end = monotonic() + ms;
		for (;;) {
			const grant = await grants.get(person, slug);
			if (!grant || !isDue(grant)) return;
			if (grant.held_until > now()) {
				if (!hasEnded(grant) || monotonic() > end) return;
				await sleep(pauseMs);
				continue;
			}
			const provider = await providerOf(slug);
			if (!provider) return;
			const held = await grants.hold(grant);
			if (held) return this.#replace(held, provider);
		}
	}

	async #replace(grant: Grant, provider: OAuthProvider): Promise<void> {
		const { grants, tokens: keeper, client, onRenewed } = this.#dependencies;
		const { slug } = grant;
		const former = (await keeper.read(grant, credentialName(slug)))?.["refresh_token"];
		if (former === undefined) return grants.fail(grant, "there is no refresh token");
		try {
			const tokens = await client.refresh(provider, former);
			failpoint("integrations.oauth-refreshed");
			await this.#store(grant, tokenCredential(slug, credentialFields(provider.definition, tokens, former)));
			await grants.renew(grant, lifeOf(tokens));
			onRenewed(grant);
		} catch (error) {
			if (error instanceof OAuthRefusedError && error.isFinal) await grants.fail(grant, error.message);
			// Otherwise the grant stays held for a while, which is the pause before the next attempt.
			throw error;
		}
	}

	/** Stores new tokens. The provider may not take the former ones again, so one failure of the store is not the end. */
	async #store(grant: Grant, credential: TokenCredential): Promise<void> {
		const end = monotonic() + storingMs;
		for (;;) {
			try {
				return await this.#dependencies.tokens.put(grant, credential);
			} catch (error) {
				if (monotonic() > end) throw error;
				await sleep(storingPauseMs);
			}
		}
	}
}

/** Returns the life of tokens that were given just now. */
export function lifeOf({ expires_in }: Tokens): TokenLifetime {
	if (expires_in === undefined) return {};
	const lifeMs = expires_in * 1_000;
	const expires_at = Math.round(now() + lifeMs);
	return { expires_at, due_at: Math.round(expires_at - Math.min(marginMs, lifeMs / 2)) };
}

function isDue({ due_at, problem }: Grant): boolean {
	return problem === undefined && due_at !== undefined && due_at <= now();
}

function hasEnded({ expires_at }: Grant): boolean {
	return expires_at !== undefined && expires_at <= now();
}
