/** The adapter of Gitea, which people host themselves. Forgejo has the same API. */
import { UnprocessableError } from "#shared/base/errors.ts";
import { ProviderClient } from "#shared/net/outbound/provider-client.ts";
import type { GitProvider, GitProviderOptions, RepositoryPlace } from "../../providers/git-provider.ts";
import { githubApi } from "../github-api.ts";
import { addressesOf, type RestHost, RestProvider } from "../rest-provider.ts";
import { checksOf, evidenceOf } from "./gitea-evidence.ts";
import { nextPage } from "./gitea-paths.ts";
import { giteaPulls } from "./gitea-pulls.ts";
import { readCommits } from "./gitea-shapes.ts";
import { giteaWebhooks } from "./gitea-webhooks.ts";

const shared = githubApi("gitea");

const gitea: RestHost = {
	...shared,
	product: "Gitea",
	// The longest lists have 40 pages of 50.
	calls: 45,
	openClient: (options) =>
		new ProviderClient({ ...options, pages: { size: { limit: 50 }, next: ({ headers }) => nextPage(headers) } }),
	ofOrganization: (name) => ({ path: `/orgs/${name}/repos` }),
	commits: (branch) => ({
		path: "/commits",
		query: { sha: branch, stat: false, verification: false, files: false },
	}),
	readers: { ...shared.readers, commits: readCommits },
	pulls: { ...giteaPulls, checksOf, evidenceOf },
};

/** One account at one Gitea. */
export class Provider extends RestProvider implements GitProvider {
	readonly type = "gitea";
	readonly webhooks = giteaWebhooks;

	/** @throws {UnprocessableError} without an address. */
	constructor(options: GitProviderOptions) {
		// A default would send a token for one's own server to somebody else's.
		if (options.base_url === undefined)
			throw new UnprocessableError("The address of the Gitea is missing: there is no usual one", "URL_REFUSED");
		super(options, addressesOf(options.base_url, "/api/v1"), gitea);
	}

	placeOf(url: string): RepositoryPlace | undefined {
		return this.ownedPlace(url);
	}
}
