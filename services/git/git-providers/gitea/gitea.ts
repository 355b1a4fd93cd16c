/** The adapter of Gitea, which people host themselves. Forgejo has the same API. */
import type { Repository } from "#shared/contracts/git/repositories.ts";
import { NotFoundError, UnprocessableError } from "#shared/base/errors.ts";
import { ProviderClient } from "#shared/net/outbound/provider-client.ts";
import {
	type CiStatus,
	type Commit,
	type GitProvider,
	type GitProviderOptions,
	maxBranches,
	maxCommits,
	maxRepositories,
	type MergeRequest,
	type NewPullRequest,
	type PullEvidence,
	type PullRequest,
	type PullState,
	type RepositoryPlace,
} from "../../providers/git-provider.ts";
import { isAt, pathBelow, repositoryAddress, shownPlace, webHost } from "../../providers/repository-place.ts";
import { readPages } from "../read-pages.ts";
import { sumOfChecks } from "../sum-of-checks.ts";
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

const pageSize = 50;
/** The longest lists have 40 pages of 50. */
const mostCalls = 45;

/** One account at one Gitea. */
export class Gitea implements GitProvider {
	readonly type = "gitea";
	readonly name: string;
	readonly orgs: readonly string[];
	readonly host: string;
	readonly #options: GitProviderOptions;
	/** The address of the web pages, without a slash at its end. */
	readonly #web: string;

	/** @throws {UnprocessableError} without an address. */
	constructor(options: GitProviderOptions) {
		const { name, orgs, base_url } = options;
		// A default would send a token for one's own server to somebody else's.
		if (base_url === undefined)
			throw new UnprocessableError("The address of the Gitea is missing: there is no usual one", "URL_REFUSED");
		this.#options = options;
		// People also give the address of the API.
		this.#web = base_url.replace(/\/$/, "").replace(/\/api\/v1$/, "");
		this.name = name;
		this.orgs = orgs;
		this.host = webHost(this.#web);
	}

	placeOf(url: string): RepositoryPlace | undefined {
		const address = repositoryAddress(url);
		if (!address || !isAt(address, this.host)) return undefined;
		const [owner, name, ...more] = pathBelow(address, this.#web) ?? [];
		return owner === undefined || name === undefined || more.length > 0 ? undefined : { owner, name };
	}

	async whoAmI(): Promise<{ user: string; workspace: string | null }> {
		const client = this.#client("the account of the credential");
		const { login } = client.read(readUser, await client.get("/user"));
		return { user: login, workspace: null };
	}

	async repository(place: RepositoryPlace): Promise<Repository> {
		const client = this.#client(`the repository ${shownPlace(place)}`);
		return repositoryOf(client.read(readRepository, await client.get(repositoryPath(place))));
	}

	/** The repositories of an organization, or else those of a person. */
	async repositories(org: string): Promise<Repository[]> {
		const client = this.#client(`the repositories of ${org.slice(0, 100)}`);
		const name = encodeURIComponent(org);
		const wanted = { query: { limit: pageSize }, reader: readRepositories, most: maxRepositories, next: nextPage };
		const { items } = await readPages(client, { path: `/orgs/${name}/repos`, ...wanted }).catch((error: unknown) => {
			if (!(error instanceof NotFoundError)) throw error;
			return readPages(client, { path: `/users/${name}/repos`, ...wanted });
		});
		return items.map(repositoryOf);
	}

	async branches(place: RepositoryPlace): Promise<string[]> {
		const { items } = await readPages(this.#client(`the branches of ${shownPlace(place)}`), {
			path: `${repositoryPath(place)}/branches`,
			query: { limit: pageSize },
			reader: readBranches,
			most: maxBranches,
			next: nextPage,
		});
		return items.map(({ name }) => name);
	}

	async openPull(place: RepositoryPlace, pull: NewPullRequest): Promise<PullRequest> {
		return openPull(this.#client(`to open a pull request in ${shownPlace(place)}`), place, pull);
	}

	async pullOf(place: RepositoryPlace, branches: { head: string; base: string }): Promise<PullRequest | undefined> {
		return openOne(this.#client(`the pull requests of ${shownPlace(place)}`), place, branches);
	}

	async pull(place: RepositoryPlace, number: number): Promise<PullRequest> {
		return settledPull(this.#client(`the pull request ${shownPlace(place)}#${number}`), place, number);
	}

	async pulls(place: RepositoryPlace, status: PullState | "all"): Promise<PullRequest[]> {
		return listPulls(this.#client(`the pull requests of ${shownPlace(place)}`), place, status);
	}

	async mergePull(place: RepositoryPlace, number: number, merge: MergeRequest): Promise<{ sha: string }> {
		return mergePull(this.#client(`to merge ${shownPlace(place)}#${number}`), place, number, merge);
	}

	async ciStatus(place: RepositoryPlace, ref: string): Promise<CiStatus> {
		return sumOfChecks(await checksOf(this.#client(`the checks of ${shownPlace(place)}`), place, ref));
	}

	async evidence(place: RepositoryPlace, number: number): Promise<PullEvidence> {
		return evidenceOf(this.#client(`the pull request ${shownPlace(place)}#${number}`), place, number);
	}

	async commitsSince(place: RepositoryPlace, branch: string, since: string): Promise<Commit[]> {
		const { items } = await readPages(this.#client(`the commits of ${shownPlace(place)}`), {
			path: `${repositoryPath(place)}/commits`,
			query: { sha: branch, since, stat: false, verification: false, files: false, limit: pageSize },
			reader: readCommits,
			most: maxCommits,
			next: nextPage,
		});
		return items.map(commitOf);
	}

	gitCredential(): { username: string; password: string } {
		return { username: "oauth2", password: this.#options.token };
	}

	/** @param asked The end of the sentences of errors. */
	#client(asked: string): ProviderClient {
		const { outbound, token, isConfigured, bounds } = this.#options;
		return new ProviderClient({
			outbound,
			base_url: `${this.#web}/api/v1`,
			isConfigured,
			headers: token === "" ? {} : { authorization: `Bearer ${token}` },
			ask: { provider: `Gitea "${this.name}"`, asked, secrets: [token] },
			bounds: { calls: mostCalls, ...bounds },
		});
	}
}
