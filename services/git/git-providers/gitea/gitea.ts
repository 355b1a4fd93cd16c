/** The adapter of Gitea, which people host themselves. Forgejo has the same API. */
import type { Repository } from "#shared/contracts/git/repositories.ts";
import { NotFoundError, UnprocessableError } from "#shared/base/errors.ts";
import {
	type Commit,
	type GitProvider,
	type GitProviderOptions,
	maxBranches,
	maxCommits,
	maxRepositories,
	type RepositoryPlace,
} from "../../providers/git-provider.ts";
import { shownPlace } from "../../providers/repository-place.ts";
import { RestProvider } from "../rest-provider.ts";
import { checksOf, evidenceOf } from "./gitea-evidence.ts";
import { nextPage, repositoryPath } from "./gitea-paths.ts";
import { listPulls, mergePull, openOne, openPull, settledPull } from "./gitea-pulls.ts";
import {
	commitOf,
	readBranches,
	readCommits,
	readRepositories,
	readRepository,
	readUser,
	repositoryOf,
} from "./gitea-shapes.ts";
import { giteaWebhooks } from "./gitea-webhooks.ts";

const pageSize = 50;
/** The longest lists have 40 pages of 50. */
const mostCalls = 45;

const pulls = { openPull, openOne, onePull: settledPull, listPulls, mergePull, checksOf, evidenceOf };

/** One account at one Gitea. */
export class Provider extends RestProvider implements GitProvider {
	readonly type = "gitea";
	readonly webhooks = giteaWebhooks;

	/** @throws {UnprocessableError} without an address. */
	constructor(options: GitProviderOptions) {
		// A default would send a token for one's own server to somebody else's.
		if (options.base_url === undefined)
			throw new UnprocessableError("The address of the Gitea is missing: there is no usual one", "URL_REFUSED");
		const words = ["pull request", "#"] as const;
		const kind = { product: "Gitea", api: "/api/v1", calls: mostCalls, next: nextPage, words, pulls };
		super(options, options.base_url, kind);
	}

	placeOf(url: string): RepositoryPlace | undefined {
		const [owner, name, ...more] = this.partsOf(url);
		return owner === undefined || name === undefined || more.length > 0 ? undefined : { owner, name };
	}

	async whoAmI(): Promise<{ user: string; workspace: string | null }> {
		const client = this.client("the account of the credential");
		const { login } = client.read(readUser, await client.get("/user"));
		return { user: login, workspace: null };
	}

	async repository(place: RepositoryPlace): Promise<Repository> {
		const client = this.client(`the repository ${shownPlace(place)}`);
		return repositoryOf(client.read(readRepository, await client.get(repositoryPath(place))));
	}

	/** The repositories of an organization, or else those of a person. */
	async repositories(org: string): Promise<Repository[]> {
		const client = this.client(`the repositories of ${org.slice(0, 100)}`);
		const name = encodeURIComponent(org);
		const wanted = { query: { limit: pageSize }, reader: readRepositories, most: maxRepositories };
		const items = await this.list(client, { path: `/orgs/${name}/repos`, ...wanted }).catch((error: unknown) => {
			if (!(error instanceof NotFoundError)) throw error;
			return this.list(client, { path: `/users/${name}/repos`, ...wanted });
		});
		return items.map(repositoryOf);
	}

	async branches(place: RepositoryPlace): Promise<string[]> {
		const items = await this.list(this.client(`the branches of ${shownPlace(place)}`), {
			path: `${repositoryPath(place)}/branches`,
			query: { limit: pageSize },
			reader: readBranches,
			most: maxBranches,
		});
		return items.map(({ name }) => name);
	}

	async commitsSince(place: RepositoryPlace, branch: string, since: string): Promise<Commit[]> {
		const items = await this.list(this.client(`the commits of ${shownPlace(place)}`), {
			path: `${repositoryPath(place)}/commits`,
			query: { sha: branch, since, stat: false, verification: false, files: false, limit: pageSize },
			reader: readCommits,
			most: maxCommits,
		});
		return items.map(commitOf);
	}
}
