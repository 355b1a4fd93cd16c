/** The adapter of GitLab, also self-managed. A merge request is a pull request, and a project a repository. */
import { ProviderClient } from "#shared/net/outbound/provider-client.ts";
import type { GitProvider, GitProviderOptions, RepositoryPlace } from "../../providers/git-provider.ts";
import { addressesOf, type RestHost, RestProvider } from "../rest-provider.ts";
import { checksOfRef, evidenceOf } from "./gitlab-evidence.ts";
import { nextPage, projectPath } from "./gitlab-paths.ts";
import { gitlabPulls } from "./gitlab-pulls.ts";
import { readBranches, readCommits, readProject, readProjects, readUser } from "./gitlab-shapes.ts";
import { gitlabWebhooks } from "./gitlab-webhooks.ts";

const gitlabUrl = "https://gitlab.com";
/** GitLab has at most twenty levels of groups. */
const mostLevels = 21;
const sorted = { order_by: "path", sort: "asc" };

const gitlab: RestHost = {
	product: "GitLab",
	repository: "project",
	words: ["merge request", "!"],
	openClient: (options) =>
		new ProviderClient({ ...options, pages: { size: { per_page: 100 }, next: ({ headers }) => nextPage(headers) } }),
	pathOf: projectPath,
	/** The projects of the groups below it belong to a group too. */
	ofOrganization: (name) => ({ path: `/groups/${name}/projects`, query: { ...sorted, include_subgroups: true } }),
	ofPerson: (name) => ({ path: `/users/${name}/projects`, query: sorted }),
	branches: { path: "/repository/branches" },
	commits: (branch) => ({ path: "/repository/commits", query: { ref_name: branch } }),
	readers: {
		user: readUser,
		repository: readProject,
		repositories: readProjects,
		branches: readBranches,
		commits: readCommits,
	},
	pulls: { ...gitlabPulls, checksOf: checksOfRef, evidenceOf },
};

/** One account at one GitLab. */
export class Provider extends RestProvider implements GitProvider {
	readonly type = "gitlab";
	readonly webhooks = gitlabWebhooks;

	constructor(options: GitProviderOptions) {
		super(options, addressesOf(options.base_url ?? gitlabUrl, "/api/v4"), gitlab);
	}

	placeOf(url: string): RepositoryPlace | undefined {
		const parts = this.partsOf(url);
		// Pages of a project are below a part "-".
		if (parts.length < 2 || parts.length > mostLevels || parts.some((part) => part.startsWith("-"))) return undefined;
		return { owner: parts.slice(0, -1).join("/"), name: parts.at(-1) ?? "" };
	}
}
