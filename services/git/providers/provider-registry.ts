/**
 * Finds the git provider that serves a repository for a caller: the caller's own connections first, then the providers
 * of the configuration, as far as their organizations allow (docs/decisions/0056).
 */
import type { Principal } from "#shared/base/principal.ts";
import { BadRequestError, unlessForeseen } from "#shared/base/errors.ts";
import type { GitProvider, RepositoryPlace } from "./git-provider.ts";
import { barePlace, repositoryAddress } from "./repository-place.ts";

/** The purpose: tokens of the configuration belong to the operator, so people write with them only where it says so. */
type ProviderUse = "read" | "write";

/** A provider of the caller or of the configuration, chosen for one repository. */
export interface FoundProvider {
	readonly provider: GitProvider;
	readonly place: RepositoryPlace;
	/** The name of the repository by which the platform keeps records: the same for every form of its URL. */
	readonly repo: string;
	/** Whether its token is the caller's own one, and not of the configuration. */
	readonly isOwn: boolean;
}

/** A provider, and the place that a URL names there. */
type Served = Pick<FoundProvider, "provider" | "place">;

/** The most connections of one person that are tried for one repository. */
const maxTried = 5;

/** Returns the providers of a person's enabled connections, newest first. */
type OwnProviders = (principal: Principal) => Promise<readonly GitProvider[]>;

/** The connections of a person are read anew for each question. */
export class ProviderRegistry {
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

	/** Returns the name by which records know a repository, if it is at a provider of the configuration. */
	repoOf(url: string): string | undefined {
		const [served] = all(this.configured, url);
		return served && nameOf(served);
	}

	/**
	 * Returns the provider for a repository. Of several own connections for its host, it is the first one that sees it.
	 * @throws {BadRequestError} naming the host, when no provider serves it for this person.
	 */
	async find(principal: Principal, url: string, use: ProviderUse = "read"): Promise<FoundProvider> {
		const own = await this.#own(principal);
		const served = (await firstThatSees(all(own, url))) ?? all(this.configured, url).find((one) => serves(one, use));
		if (!served) throw noProvider(url, all(this.configured, url)[0]);
		return { ...served, repo: nameOf(served), isOwn: own.includes(served.provider) };
	}
}

/** Returns the providers at whose host the repository is, in their order. */
function all(providers: readonly GitProvider[], url: string): Served[] {
	return providers.flatMap((provider) => {
		const place = provider.placeOf(url);
		return place ? [{ provider, place }] : [];
	});
}

/**
 * Returns the first one that sees the repository; connections that name its organization are before others. When none of
 * them sees it, the first one says why.
 */
async function firstThatSees(candidates: readonly Served[]): Promise<Served | undefined> {
	const [naming, others] = [candidates.filter(isNamed), candidates.filter((one) => !isNamed(one))];
	const tried = [...naming, ...others].slice(0, maxTried);
	if (tried.length < 2) return tried[0];
	const seen = await Promise.all(tried.map(({ provider, place }) => isSeen(provider.repository(place))));
	return tried[Math.max(0, seen.indexOf(true))];
}

async function isSeen(asked: Promise<unknown>): Promise<boolean> {
	return (await asked.then(() => true, unlessForeseen)) ?? false;
}

/** Hosts do not tell repositories apart by the case of their names. */
function nameOf({ provider, place }: Served): string {
	return `${provider.host}/${place.owner}/${place.name}`.toLowerCase();
}

/** Whether a provider of the configuration serves this place. */
function serves(served: Served, use: ProviderUse): boolean {
	return isNamed(served) || (served.provider.orgs.length === 0 && use === "read");
}

/** Whether the provider names the organization. Names of organizations are compared without case. */
export function isNamed({ provider: { orgs }, place: { owner } }: Served): boolean {
	const wanted = owner.toLowerCase();
	return orgs.some((org) => wanted === org.toLowerCase() || wanted.startsWith(`${org.toLowerCase()}/`));
}

/** @param lent The provider of the configuration at this host, whose token is not lent for the repository. */
function noProvider(url: string, lent: Served | undefined): BadRequestError {
	if (lent) {
		const { type, host } = lent.provider;
		return new BadRequestError(
			`The platform's own token for "${host}" does not serve organization "${lent.place.owner}" for this request; connect your account (POST /integrations with the slug "${type}"), or ask the operator to name the organization in \`git.${type}.orgs\``,
			"NO_PROVIDER",
		);
	}
	const host = repositoryAddress(url)?.host ?? (barePlace(url) && "github.com");
	return new BadRequestError(
		host === undefined
			? unreadable(url)
			: `No git provider serves this repository at "${host}" for you; connect one, or ask the operator to configure it`,
		"NO_PROVIDER",
	);
}

/** Returns the sentence about a URL without a host. */
function unreadable(url: string): string {
	if (/^file:|^[/.~]/i.test(url.trim()))
		return "A repository on this machine has no git provider, and so no pull requests; push its branch to a git host, or merge it with git";
	return "The repository URL cannot be read; write it as https://<host>/<owner>/<name> or git@<host>:<owner>/<name>";
}
