/** The adapter of GitLab, also self-managed. A merge request is a pull request, and a project a repository. */
import type { Repository } from "#shared/contracts/git/repositories.ts";
import { NotFoundError } from "#shared/base/errors.ts";
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
import { checksOfRef, evidenceOf } from "./gitlab-evidence.ts";
import { nextPage, projectPath } from "./gitlab-paths.ts";
import { listPulls, mergePull, onePull, openOne, openPull } from "./gitlab-pulls.ts";
import {
	commitOf,
	readBranches,
	readCommits,
	readProject,
	readProjects,
	readUser,
	repositoryOf,
} from "./gitlab-shapes.ts";
import { gitlabWebhooks } from "./gitlab-webhooks.ts";

const gitlabUrl = "https://gitlab.com";
const pageSize = 100;
/** GitLab has at most twenty levels of groups. */
const mostLevels = 21;

const pulls = { openPull, onePull, openOne, listPulls, mergePull, checksOf: checksOfRef, evidenceOf };

/** One account at one GitLab. */
export class Provider extends RestProvider implements GitProvider {
	readonly type = "gitlab";
	readonly webhooks = gitlabWebhooks;

	constructor(options: GitProviderOptions) {
		const words = ["merge request", "!"] as const;
		super(options, options.base_url ?? gitlabUrl, { product: "GitLab", api: "/api/v4", next: nextPage, words, pulls });
	}

	placeOf(url: string): RepositoryPlace | undefined {
		const parts = this.partsOf(url);
		// Pages of a project are below a part "-".
		if (parts.length < 2 || parts.length > mostLevels || parts.some((part) => part.startsWith("-"))) return undefined;
		return { owner: parts.slice(0, -1).join("/"), name: parts.at(-1) ?? "" };
	}

	async whoAmI(): Promise<{ user: string; workspace: string | null }> {
		const client = this.client("the account of the credential");
		const { username } = client.read(readUser, await client.get("/user"));
		return { user: username, workspace: null };
	}

	async repository(place: RepositoryPlace): Promise<Repository> {
		const client = this.client(`the project ${shownPlace(place)}`);
		return repositoryOf(client.read(readProject, await client.get(projectPath(place))));
	}

	/** The projects of a group and of the groups below it, or else those of a person. */
	async repositories(org: string): Promise<Repository[]> {
		const client = this.client(`the projects of ${org.slice(0, 100)}`);
		const name = encodeURIComponent(org);
		const wanted = { reader: readProjects, most: maxRepositories };
		const query = { per_page: pageSize, order_by: "path", sort: "asc" };
		const ofGroup = { path: `/groups/${name}/projects`, query: { ...query, include_subgroups: true }, ...wanted };
		const ofPerson = { path: `/users/${name}/projects`, query, ...wanted };
		const items = await this.list(client, ofGroup).catch((error: unknown) => {
			if (!(error instanceof NotFoundError)) throw error;
			return this.list(client, ofPerson);
		});
		return items.map(repositoryOf);
	}

	async branches(place: RepositoryPlace): Promise<string[]> {
		const items = await this.list(this.client(`the branches of ${shownPlace(place)}`), {
			path: `${projectPath(place)}/repository/branches`,
			query: { per_page: pageSize },
			reader: readBranches,
			most: maxBranches,
		});
		return items.map(({ name }) => name);
	}

	async commitsSince(place: RepositoryPlace, branch: string, since: string): Promise<Commit[]> {
		const items = await this.list(this.client(`the commits of ${shownPlace(place)}`), {
			path: `${projectPath(place)}/repository/commits`,
			query: { ref_name: branch, since, per_page: pageSize },
			reader: readCommits,
			most: maxCommits,
		});
		return items.map(commitOf);
	}
}
