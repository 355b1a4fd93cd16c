/** The parts of the adapters of hosts with a REST API: their account, their repositories, and what those have. */
import { NotFoundError } from "#shared/base/errors.ts";
import type { Repository } from "#shared/contracts/git/repositories.ts";
import type {
	ProviderClient,
	ProviderClientOptions,
	Reader,
	WantedList,
} from "#shared/net/outbound/provider-client.ts";
import {
	type Commit,
	type GitProviderOptions,
	maxBranches,
	maxCommits,
	maxRepositories,
	type RepositoryPlace,
} from "../providers/git-provider.ts";
import { isAt, pathBelow, repositoryAddress, shownPlace, webHost } from "../providers/repository-place.ts";
import { HostAdapter, type PullOperations, type PullWords } from "./host-adapter.ts";

/** The options of a client for one operation, which are alike for all hosts. */
export type HostClientOptions = Omit<ProviderClientOptions, "headers" | "pages" | "sentenceOf">;

/** The words, bounds and readers of one host. */
export interface RestHost {
	/** The name of the product in sentences. */
	readonly product: string;
	/** The name of a repository in sentences. */
	readonly repository: string;
	readonly words: PullWords;
	/** The most requests of an operation; absent: those of `outboundFetch`. */
	readonly calls?: number;
	readonly openClient: (options: HostClientOptions) => ProviderClient;
	readonly pathOf: (place: RepositoryPlace) => string;
	/** Returns where the repositories of an organization or a person are, whose name is encoded. */
	readonly ofOrganization: (name: string) => ListPlace;
	readonly ofPerson: (name: string) => ListPlace;
	/** The paths of branches and commits are below that of their repository. */
	readonly branches: ListPlace;
	readonly commits: (branch: string) => ListPlace;
	readonly readers: {
		readonly user: Reader<string>;
		readonly repository: Reader<Repository>;
		readonly repositories: Reader<Repository[]>;
		readonly branches: Reader<string[]>;
		readonly commits: Reader<Commit[]>;
	};
	readonly pulls: PullOperations<ProviderClient>;
}

type ListPlace = Pick<WantedList<unknown>, "path" | "query">;

/** The addresses of web pages and of the API, without a slash at their ends. */
export interface HostAddresses {
	readonly web: string;
	readonly api: string;
}

/** Returns the addresses of a host whose API is below its web pages. @param base_url That of the web pages; people also give that of the API. */
export function addressesOf(base_url: string, apiPath: string): HostAddresses {
	const address = base_url.replace(/\/$/, "");
	const web = address.endsWith(apiPath) ? address.slice(0, -apiPath.length) : address;
	return { web, api: `${web}${apiPath}` };
}

/** One account at one such host. */
export abstract class RestProvider extends HostAdapter<ProviderClient> {
	readonly #kind: RestHost;
	readonly #addresses: HostAddresses;

	constructor(options: GitProviderOptions, addresses: HostAddresses, kind: RestHost) {
		super(options, webHost(addresses.web), kind.words, kind.pulls);
		this.#kind = kind;
		this.#addresses = addresses;
	}

	async whoAmI(): Promise<{ user: string; workspace: string | null }> {
		const client = this.client("the account of the credential");
		return { user: client.read(this.#kind.readers.user, await client.get("/user")), workspace: null };
	}

	async repository(place: RepositoryPlace): Promise<Repository> {
		const { repository, readers, pathOf } = this.#kind;
		const client = this.client(`the ${repository} ${shownPlace(place)}`);
		return client.read(readers.repository, await client.get(pathOf(place)));
	}

	/** The repositories of an organization, or else those of a person. */
	async repositories(org: string): Promise<Repository[]> {
		const client = this.client(`the ${this.#kind.repository}s of ${org.slice(0, 100)}`);
		return this.repositoriesAt(client, this.#kind.ofOrganization(encodeURIComponent(org))).catch((error: unknown) => {
			if (!(error instanceof NotFoundError)) throw error;
			return this.repositoriesOfPerson(client, org);
		});
	}

	protected repositoriesOfPerson(client: ProviderClient, login: string): Promise<Repository[]> {
		return this.repositoriesAt(client, this.#kind.ofPerson(encodeURIComponent(login)));
	}

	protected async repositoriesAt(client: ProviderClient, place: ListPlace): Promise<Repository[]> {
		return (await client.list({ ...place, reader: this.#kind.readers.repositories, most: maxRepositories })).items;
	}

	async branches(place: RepositoryPlace): Promise<string[]> {
		const { pathOf, branches, readers } = this.#kind;
		const client = this.client(`the branches of ${shownPlace(place)}`);
		const path = `${pathOf(place)}${branches.path}`;
		const { items } = await client.list({ ...branches, path, reader: readers.branches, most: maxBranches });
		// A list that changes while it is read may name a branch on two pages.
		return [...new Set(items)];
	}

	async commitsSince(place: RepositoryPlace, branch: string, since: string): Promise<Commit[]> {
		const { pathOf, commits, readers } = this.#kind;
		const client = this.client(`the commits of ${shownPlace(place)}`);
		const { path, query } = commits(branch);
		const wanted = { path: `${pathOf(place)}${path}`, query: { ...query, since } };
		return (await client.list({ ...wanted, reader: readers.commits, most: maxCommits })).items;
	}

	gitCredential(): { username: string; password: string } {
		return { username: "oauth2", password: this.options.token };
	}

	/** Returns the parts of a repository's path; none when the URL is at another host. */
	protected partsOf(url: string): readonly string[] {
		const address = repositoryAddress(url);
		return (address && isAt(address, this.host) && pathBelow(address, this.#addresses.web)) || [];
	}

	/** Returns the place of a path with an owner and a name, and nothing else. */
	protected ownedPlace(url: string): RepositoryPlace | undefined {
		const [owner, name, ...more] = this.partsOf(url);
		return owner === undefined || name === undefined || more.length > 0 ? undefined : { owner, name };
	}

	/** @param asked The end of the sentences of errors. */
	protected client(asked: string): ProviderClient {
		const { outbound, token, isConfigured, bounds } = this.options;
		const { product, calls, openClient } = this.#kind;
		return openClient({
			outbound,
			base_url: this.#addresses.api,
			isConfigured,
			token,
			ask: { provider: `${product} "${this.name}"`, asked },
			bounds: { ...(calls !== undefined && { calls }), ...bounds },
		});
	}
}
