/** Answers questions about repositories with the providers that a person may use. */
import type { Principal } from "#shared/base/principal.ts";
import type { Provider, Repository, RepoValidation } from "#shared/contracts/git/repositories.ts";
import {
	BadRequestError,
	NotFoundError,
	ServiceError,
	UnauthorizedError,
	UnavailableError,
	UnprocessableError,
	unlessForeseen,
} from "#shared/base/errors.ts";
import type { GitProvider } from "./git-provider.ts";
import type { ProviderRegistry } from "./provider-registry.ts";

/** The most organizations whose repositories one request lists. */
const maxOrgs = 20;
/** The most repositories of such a request; an answer has at most 900 KB. */
const maxShared = 1_000;

/** The repositories of a person's providers by the provider's name, and sentences about those that could not be asked. */
interface SharedRepositories {
	readonly repositories: Record<string, Repository[]>;
	readonly warnings: string[];
}

export class RepositoryQueries {
	readonly #registry: ProviderRegistry;

	constructor(registry: ProviderRegistry) {
		this.#registry = registry;
	}

	configured(): readonly GitProvider[] {
		return this.#registry.configured;
	}

	/**
	 * Returns the branches by name, behind the default one, because clients take the first one for it. A provider that does
	 * not tell the default one lists them nevertheless.
	 * @throws {BadRequestError} when no provider serves the repository; errors of the provider.
	 */
	async branches(principal: Principal, url: string): Promise<string[]> {
		const { provider, place } = await this.#registry.find(principal, url);
		const [names, repository] = await Promise.all([
			provider.branches(place),
			provider.repository(place).catch(unlessForeseen),
		]);
		const first = names.filter((name) => name === repository?.default_branch);
		return [...first, ...names.filter((name) => name !== repository?.default_branch).toSorted()];
	}

	/** Returns whether the repository can be read. A provider that is away is no answer, and an error. */
	async validate(principal: Principal, repo_url: string): Promise<RepoValidation> {
		let provider: string | null = null;
		try {
			const found = await this.#registry.find(principal, repo_url);
			provider = found.provider.name;
			await found.provider.repository(found.place);
			return { valid: true, repo_url, provider, reason: null };
		} catch (error) {
			if (!isVerdict(error)) throw asUnavailable(error);
			return { valid: false, repo_url, provider, reason: error.message };
		}
	}

	/** Returns sentences about repositories that do not exist for the person. Others, and unanswered ones, have none. */
	async missing(principal: Principal, urls: readonly string[]): Promise<string[]> {
		const found = await Promise.all(urls.map((url) => this.#missing(principal, url)));
		return found.filter((sentence) => sentence !== undefined);
	}

	async #missing(principal: Principal, url: string): Promise<string | undefined> {
		try {
			const { provider, place } = await this.#registry.find(principal, url);
			await provider.repository(place);
			return undefined;
		} catch (error) {
			return error instanceof NotFoundError ? error.message : unlessForeseen(error);
		}
	}

	/** @throws {NotFoundError} when the person has no provider with this name or of this type. */
	async ofOrg(principal: Principal, name: string, org: string): Promise<Repository[]> {
		const providers = await this.#registry.providersFor(principal);
		const named = providers.filter((one) => one.name === name);
		const candidates = named.length > 0 ? named : providers.filter(({ type }) => type === name);
		const [first] = candidates;
		if (!first) throw new NotFoundError(`There is no git provider "${name}" for you`, "PROVIDER_UNKNOWN");
		const own = candidates.find((one) => this.#mayList(one, org));
		if (!own) throw new NotFoundError(`The git provider "${name}" does not serve "${org}"`, "ORG_UNKNOWN");
		return own.repositories(org);
	}

	/**
	 * Returns the repositories of all named organizations, and of the accounts of own tokens that name none; those of a provider
	 * that fails are missing, and a sentence says so.
	 */
	async shared(principal: Principal): Promise<SharedRepositories> {
		const providers = await this.#registry.providersFor(principal);
		const lacking = new Set<string>();
		const lacks = (provider: GitProvider) => (error: unknown) => {
			if (!(error instanceof ServiceError)) throw error;
			lacking.add(`Repositories of "${provider.name}" are missing: ${error.message}`);
			return [];
		};
		const named = await Promise.all(
			providers.map(async (provider) => ({ provider, orgs: await this.#orgsOf(provider).catch(lacks(provider)) })),
		);
		const pairs = named.flatMap(({ provider, orgs }) => orgs.map((org) => ({ provider, org }))).slice(0, maxOrgs);
		const lists = await Promise.all(
			pairs.map(async ({ provider, org }) => ({
				provider,
				found: await provider.repositories(org).catch(lacks(provider)),
			})),
		);
		const byName = new Map<string, Repository[]>(providers.map(({ name }) => [name, []]));
		let room = maxShared;
		for (const { provider, found } of lists) {
			const taken = found.slice(0, room);
			room -= taken.length;
			byName.set(provider.name, [...(byName.get(provider.name) ?? []), ...taken]);
		}
		return { repositories: Object.fromEntries(byName), warnings: [...lacking] };
	}

	/** Returns the organizations to list: those that are named, or the account of a person's own token. @throws {ServiceError} */
	async #orgsOf(provider: GitProvider): Promise<readonly string[]> {
		if (provider.orgs.length > 0 || this.#registry.configured.includes(provider)) return provider.orgs;
		return [(await provider.whoAmI()).user];
	}

	/** Providers of the configuration list only organizations that it names, when it names some. */
	#mayList(provider: GitProvider, org: string): boolean {
		if (!this.#registry.configured.includes(provider) || provider.orgs.length === 0) return true;
		return provider.orgs.some((one) => one.toLowerCase() === org.toLowerCase());
	}
}

export function providerInfo({ name, type, orgs }: GitProvider): Provider {
	return { name, type, orgs: [...orgs] };
}

/** Whether the error says that the repository cannot be read, and not that nobody knows. */
function isVerdict(error: unknown): error is ServiceError {
	return (
		error instanceof BadRequestError ||
		error instanceof NotFoundError ||
		error instanceof UnauthorizedError ||
		error instanceof UnprocessableError
	);
}

function asUnavailable(error: unknown): unknown {
	return error instanceof ServiceError ? new UnavailableError(error.message, error.type) : error;
}
