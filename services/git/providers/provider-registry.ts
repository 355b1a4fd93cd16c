/**
 * Finds the git provider that serves a repository for a caller: the caller's own connections first, then the providers
 * of the configuration, as far as their organizations allow (docs/decisions/0056).
 */
import type { Principal } from "#shared/bus/principal.ts";
import { BadRequestError } from "#shared/errors.ts";
import type { GitProvider, RepositoryPlace } from "./git-provider.ts";
import { barePlace, repositoryAddress } from "./repository-place.ts";

/** The purpose: tokens of the configuration belong to the operator, so people write with them only where it says so. */
export type ProviderUse = "read" | "write";

/** A provider for one repository. */
export interface FoundProvider {
	readonly provider: GitProvider;
	readonly place: RepositoryPlace;
	/** Whether its token is the caller's own one, and not of the configuration. */
	readonly isOwn: boolean;
}

/** Returns the providers of a person's enabled connections, newest first. */
export type OwnProviders = (principal: Principal) => Promise<readonly GitProvider[]>;

/** The providers of this platform. */
export class ProviderRegistry {
	/** The providers of the configuration. */
	readonly configured: readonly GitProvider[];
	readonly #own: OwnProviders;

	constructor(configured: readonly GitProvider[], own: OwnProviders) {
		this.configured = configured;
		this.#own = own;
	}

	/** Returns the providers that a person may use, in the order in which they are asked. */
	async providersFor(principal: Principal): Promise<GitProvider[]> {
		return [...(await this.#own(principal)), ...this.configured];
	}

	/**
	 * Returns the provider for a repository.
	 * @throws {BadRequestError} naming the host, when no provider serves it for this person.
	 */
	async find(principal: Principal, url: string, use: ProviderUse = "read"): Promise<FoundProvider> {
		const own = await this.#own(principal);
		const found = first(own, url, () => true) ?? first(this.configured, url, (one, at) => serves(one, at, use));
		if (!found) throw noProvider(url);
		return { ...found, isOwn: own.includes(found.provider) };
	}
}

function first(
	providers: readonly GitProvider[],
	url: string,
	isServed: (provider: GitProvider, place: RepositoryPlace) => boolean,
): Omit<FoundProvider, "isOwn"> | undefined {
	for (const provider of providers) {
		const place = provider.placeOf(url);
		if (place && isServed(provider, place)) return { provider, place };
	}
	return undefined;
}

/** Whether a provider of the configuration serves this place. Names of organizations are compared without case. */
function serves({ orgs }: GitProvider, { owner }: RepositoryPlace, use: ProviderUse): boolean {
	if (orgs.length === 0) return use === "read";
	const wanted = owner.toLowerCase();
	return orgs.some((org) => wanted === org.toLowerCase() || wanted.startsWith(`${org.toLowerCase()}/`));
}

function noProvider(url: string): BadRequestError {
	const host = repositoryAddress(url)?.host ?? (barePlace(url) && "github.com");
	return new BadRequestError(
		host === undefined
			? "The repository URL cannot be read"
			: `No git provider serves this repository at "${host}" for you; connect one, or ask the operator to configure it`,
		"NO_PROVIDER",
	);
}
