/** The git provider GitHub: the hosted service, and Enterprise Servers at `https://<host>/api/v3`. */
import type { Repository } from "#shared/contracts/git/repositories.ts";
import { githubClient, githubUrl } from "#shared/net/github/github-client.ts";
import type { ProviderClient } from "#shared/net/outbound/provider-client.ts";
import type { GitProvider, GitProviderOptions, RepositoryPlace } from "../../providers/git-provider.ts";
import { barePlace, webHost } from "../../providers/repository-place.ts";
import { githubApi } from "../github-api.ts";
import { type RestHost, RestProvider } from "../rest-provider.ts";
import { checksOf, evidenceOf } from "./github-evidence.ts";
import { githubPulls } from "./github-pulls.ts";
import { readCommits } from "./github-shapes.ts";
import { githubWebhooks } from "./github-webhooks.ts";

const shared = githubApi("github");

const github: RestHost = {
	...shared,
	product: "GitHub",
	openClient: githubClient,
	ofOrganization: (name) => ({ path: `/orgs/${name}/repos`, query: { type: "all" } }),
	commits: (branch) => ({ path: "/commits", query: { sha: branch } }),
	readers: { ...shared.readers, commits: readCommits },
	pulls: { ...githubPulls, checksOf, evidenceOf },
};

/** One account at one GitHub. */
export class Provider extends RestProvider implements GitProvider {
	readonly type = "github";
	readonly webhooks = githubWebhooks;

	constructor(options: GitProviderOptions) {
		const { base_url = githubUrl } = options;
		super(options, { web: `https://${webHost(base_url).replace(/^api\./, "")}`, api: base_url }, github);
	}

	placeOf(url: string): RepositoryPlace | undefined {
		return barePlace(url) ?? this.ownedPlace(url);
	}

	override gitCredential(): { username: string; password: string } {
		return { ...super.gitCredential(), username: "x-access-token" };
	}

	/** When the token is that person's, private repositories are found too. */
	protected override async repositoriesOfPerson(client: ProviderClient, login: string): Promise<Repository[]> {
		const all = this.options.token === "" ? [] : await this.repositoriesAt(client, { path: "/user/repos" });
		const own = all.filter(({ org }) => org.toLowerCase() === login.toLowerCase());
		return own.length > 0 ? own : super.repositoriesOfPerson(client, login);
	}
}
