/** The adapter of GitLab, also self-managed. A merge request is a pull request, and a project a repository. */
import type { Repository } from "#shared/contracts/git/repositories.ts";
import { NotFoundError } from "#shared/base/errors.ts";
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
import { checksOf, evidenceOf } from "./gitlab-evidence.ts";
import { nextPage, projectPath } from "./gitlab-paths.ts";
import { listPulls, mergePull, openOne, openPull, settledRequest } from "./gitlab-pulls.ts";
import {
	commitOf,
	pullOf,
	readBranches,
	readCommit,
	readCommits,
	readProject,
	readProjects,
	readUser,
	repositoryOf,
} from "./gitlab-shapes.ts";

const gitlabUrl = "https://gitlab.com";
const pageSize = 100;
/** GitLab has at most twenty levels of groups. */
const mostLevels = 21;

/** One account at one GitLab. */
export class GitLab implements GitProvider {
	readonly type = "gitlab";
	readonly name: string;
	readonly orgs: readonly string[];
	readonly host: string;
	readonly #options: GitProviderOptions;
	/** The address of the web pages, without a slash at its end. */
	readonly #web: string;

	constructor(options: GitProviderOptions) {
		const { name, orgs, base_url = gitlabUrl } = options;
		this.#options = options;
		// People also give the address of the API.
		this.#web = base_url.replace(/\/$/, "").replace(/\/api\/v4$/, "");
		this.name = name;
		this.orgs = orgs;
		this.host = webHost(this.#web);
	}

	placeOf(url: string): RepositoryPlace | undefined {
		const address = repositoryAddress(url);
		if (!address || !isAt(address, this.host)) return undefined;
		const parts = pathBelow(address, this.#web) ?? [];
		// Pages of a project are below a part "-".
		if (parts.length < 2 || parts.length > mostLevels || parts.some((part) => part.startsWith("-"))) return undefined;
		return { owner: parts.slice(0, -1).join("/"), name: parts.at(-1) ?? "" };
	}

	async whoAmI(): Promise<{ user: string; workspace: string | null }> {
		const client = this.#client("the account of the credential");
		const { username } = client.read(readUser, await client.get("/user"));
		return { user: username, workspace: null };
	}

	async repository(place: RepositoryPlace): Promise<Repository> {
		const client = this.#client(`the project ${shownPlace(place)}`);
		return repositoryOf(client.read(readProject, await client.get(projectPath(place))));
	}

	/** The projects of a group and of the groups below it, or else those of a person. */
	async repositories(org: string): Promise<Repository[]> {
		const client = this.#client(`the projects of ${org.slice(0, 100)}`);
		const name = encodeURIComponent(org);
		const wanted = { reader: readProjects, most: maxRepositories, next: nextPage };
		const query = { per_page: pageSize, order_by: "path", sort: "asc" };
		const ofGroup = { path: `/groups/${name}/projects`, query: { ...query, include_subgroups: true }, ...wanted };
		const ofPerson = { path: `/users/${name}/projects`, query, ...wanted };
		const { items } = await readPages(client, ofGroup).catch((error: unknown) => {
			if (!(error instanceof NotFoundError)) throw error;
			return readPages(client, ofPerson);
		});
		return items.map(repositoryOf);
	}

	async branches(place: RepositoryPlace): Promise<string[]> {
		const { items } = await readPages(this.#client(`the branches of ${shownPlace(place)}`), {
			path: `${projectPath(place)}/repository/branches`,
			query: { per_page: pageSize },
			reader: readBranches,
			most: maxBranches,
			next: nextPage,
		});
		return items.map(({ name }) => name);
	}

	async openPull(place: RepositoryPlace, pull: NewPullRequest): Promise<PullRequest> {
		return openPull(this.#client(`to open a merge request in ${shownPlace(place)}`), place, pull);
	}

	async pullOf(place: RepositoryPlace, branches: { head: string; base: string }): Promise<PullRequest | undefined> {
		return openOne(this.#client(`the merge requests of ${shownPlace(place)}`), place, branches);
	}

	async pull(place: RepositoryPlace, number: number): Promise<PullRequest> {
		return pullOf(
			await settledRequest(this.#client(`the merge request ${shownPlace(place)}!${number}`), place, number),
		);
	}

	async pulls(place: RepositoryPlace, status: PullState | "all"): Promise<PullRequest[]> {
		return listPulls(this.#client(`the merge requests of ${shownPlace(place)}`), place, status);
	}

	async mergePull(place: RepositoryPlace, number: number, merge: MergeRequest): Promise<{ sha: string }> {
		return mergePull(this.#client(`to merge ${shownPlace(place)}!${number}`), place, number, merge);
	}

	async ciStatus(place: RepositoryPlace, ref: string): Promise<CiStatus> {
		const client = this.#client(`the checks of ${shownPlace(place)}`);
		const path = `${projectPath(place)}/repository/commits/${encodeURIComponent(ref)}`;
		const { id } = client.read(readCommit, await client.get(path));
		return sumOfChecks(await checksOf(client, place, id));
	}

	async evidence(place: RepositoryPlace, number: number): Promise<PullEvidence> {
		return evidenceOf(this.#client(`the merge request ${shownPlace(place)}!${number}`), place, number);
	}

	async commitsSince(place: RepositoryPlace, branch: string, since: string): Promise<Commit[]> {
		const { items } = await readPages(this.#client(`the commits of ${shownPlace(place)}`), {
			path: `${projectPath(place)}/repository/commits`,
			query: { ref_name: branch, since, per_page: pageSize },
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
			base_url: `${this.#web}/api/v4`,
			isConfigured,
			// A bearer may be a personal, group or project token, and one of OAuth.
			headers: token === "" ? {} : { authorization: `Bearer ${token}` },
			ask: { provider: `GitLab "${this.name}"`, asked, secrets: [token] },
			bounds,
		});
	}
}
