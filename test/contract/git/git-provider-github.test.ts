/** The git provider GitHub at the validating fake. */
import { loadAdapter } from "#shared/config/adapter.ts";
import { type GitProvider, gitProviderMethods } from "#services/git/providers/git-provider.ts";
import { Outbound } from "#shared/net/outbound/outbound.ts";
import { GitHubStage } from "../../support/providers/github/github-stage.ts";
import { gitProviderContract } from "./git-provider.contract.ts";

const closed = { allow: [], ports: [], refuse: [], proxy: "", proxy_resolves: false };

gitProviderContract({
	name: "GitHub",
	async open() {
		const outbound = new Outbound(closed);
		const made = (options: object) =>
			loadAdapter<GitProvider>(
				{ adapter: "services/git/git-providers/github/github.ts#Provider", kwargs: {}, secret_kwargs_env: {} },
				gitProviderMethods,
				{ name: "github", orgs: [], outbound, isConfigured: true, ...options },
			);
		const stage = await GitHubStage.open();
		const { apiUrl: base_url } = stage.fake;
		return {
			provider: await made({ base_url, token: stage.token }),
			user: stage.user,
			place: stage.place,
			withToken: (token) => made({ base_url, token }),
			push: async (branch, files, message) => stage.push(branch, files, message),
			pushBranches: async (prefix, count) => stage.pushBranches(prefix, count),
			check: async (branch, name, state) => stage.check(branch, name, state),
			openFromFork: async (branch) => stage.openFromFork(branch),
			review: async (number, state) => stage.review(number, state),
			violations: () => stage.fake.violations,
			async [Symbol.asyncDispose]() {
				outbound.close();
				await stage[Symbol.asyncDispose]();
			},
		};
	},
});
