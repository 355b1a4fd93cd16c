/** The git provider GitHub: the hosted service, and Enterprise Servers at `https://<host>/api/v3`. */
import type { Repository } from "#shared/contracts/git/repositories.ts";
import { NotFoundError } from "#shared/base/errors.ts";
import { GitHubClient, githubUrl } from "#shared/net/github/github-client.ts";
import {
	type Commit,
	type GitProvider,
	type GitProviderOptions,
	maxBranches,
	maxCommits,
	maxRepositories,
	type RepositoryPlace,
} from "../../providers/git-provider.ts";
import { barePlace, isAt, repositoryAddress, shownPlace, webHost } from "../../providers/repository-place.ts";
import { HostAdapter } from "../host-adapter.ts";
import { checksOf, evidenceOf } from "./github-evidence.ts";
import { listPulls, mergePull, onePull, openOne, openPull, placeOf } from "./github-pulls.ts";
import {
	commitOf,
	readBranches,
	readCommits,
	readRepositories,
	readRepository,
	readUser,
	repositoryOf,
} from "./github-shapes.ts";
import { githubWebhooks } from "./github-webhooks.ts";

const pulls = { openPull, openOne, onePull, listPulls, mergePull, checksOf, evidenceOf };

/** One account at one GitHub. */
export class Provider extends HostAdapter<GitHubClient> implements GitProvider {
	readonly type = "github";
	readonly webhooks = githubWebhooks;
	readonly #baseUrl: string;

	constructor(options: GitProviderOptions) {
		const { base_url = githubUrl } = options;
		super(options, webHost(base_url).replace(/^api\./, ""), ["pull request", "#"], pulls);
		this.#baseUrl = base_url;
	}

	placeOf(url: string): RepositoryPlace | undefined {
		const bare = barePlace(url);
		if (bare) return bare;
		const address = repositoryAddress(url);
		const [owner, name, ...more] = address?.path ?? [];
		if (!address || owner === undefined || name === undefined || more.length > 0) return undefined;
		return isAt(address, this.host) ? { owner, name } : undefined;
	}

	async whoAmI(): Promise<{ user: string; workspace: string | null }> {
		const client = this.client("the account of the credential");
		const { login } = client.read(readUser, await client.get("GET /user", {}));
		return { user: login, workspace: null };
	}

	async repository(place: RepositoryPlace): Promise<Repository> {
		const client = this.client(`the repository ${shownPlace(place)}`);
		const data = await client.get("GET /repos/{owner}/{repo}", placeOf(place));
		return repositoryOf(client.read(readRepository, data));
	}

	async repositories(org: string): Promise<Repository[]> {
		const client = this.client(`the repositories of ${org.slice(0, 100)}`);
		const bounds = { reader: readRepositories, most: maxRepositories };
		try {
			const { items } = await client.list("GET /orgs/{org}/repos", { org, type: "all" }, bounds);
			return items.map(repositoryOf);
		} catch (error) {
			if (!(error instanceof NotFoundError)) throw error;
		}
		const own = await this.#ownRepositories(client, org);
		if (own.length > 0) return own;
		const { items } = await client.list("GET /users/{username}/repos", { username: org }, bounds);
		return items.map(repositoryOf);
	}

	async branches(place: RepositoryPlace): Promise<string[]> {
		const client = this.client(`the branches of ${shownPlace(place)}`);
		const bounds = { reader: readBranches, most: maxBranches };
		const { items } = await client.list("GET /repos/{owner}/{repo}/branches", placeOf(place), bounds);
		return [...new Set(items.map(({ name }) => name))];
	}

	async commitsSince(place: RepositoryPlace, branch: string, since: string): Promise<Commit[]> {
		const client = this.client(`the commits of ${shownPlace(place)}`);
		const query = { ...placeOf(place), sha: branch, since };
		const bounds = { reader: readCommits, most: maxCommits };
		const { items } = await client.list("GET /repos/{owner}/{repo}/commits", query, bounds);
		return items.map(commitOf);
	}

	gitCredential(): { username: string; password: string } {
		return { username: "x-access-token", password: this.options.token };
	}

	/** Returns the repositories of a person, when the token is that person's. */
	async #ownRepositories(client: GitHubClient, login: string): Promise<Repository[]> {
		if (this.options.token === "") return [];
		const bounds = { reader: readRepositories, most: maxRepositories };
		const { items } = await client.list("GET /user/repos", {}, bounds);
		return items.map(repositoryOf).filter(({ org }) => org.toLowerCase() === login.toLowerCase());
	}

	/** @param asked The end of the sentences of errors. */
	protected client(asked: string): GitHubClient {
		const { outbound, token, isConfigured, bounds } = this.options;
		const ask = { provider: `GitHub "${this.name}"`, asked };
		return new GitHubClient({ outbound, base_url: this.#baseUrl, token, isConfigured, ask, bounds });
	}
}
