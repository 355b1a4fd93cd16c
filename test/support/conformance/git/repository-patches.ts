/** Where repositories at git providers mean to differ from the contract. */
import type { Patch } from "../contract-editor.ts";

const lists = ["listProviders", "listRepoProviders", "listBranches", "listOrgRepos"] as const;
/** They ask a provider, which may refuse, fail, be busy or be late. */
const asking = ["listBranches", "listOrgRepos"] as const;

export const repositoryPatches: readonly Patch[] = [
	{
		operation: lists.join(", "),
		contract: "unbounded; branches are the first 100 at GitHub",
		ours: "`limit` (default 500), `cursor`, headers `Link` and `ETag`; branches of all pages",
		apply(edit) {
			for (const id of lists) {
				edit.addPages(id);
				edit.addError(id, "400", "The cursor is not ours, or no provider serves the repository");
				edit.addValidation(id);
			}
		},
	},
	{
		operation: asking.join(", "),
		contract: "a failing provider is a 500, or an empty list",
		ours: "502, 503 or 504 with a sentence",
		apply(edit) {
			for (const id of asking)
				for (const status of ["502", "503", "504"]) edit.addError(id, status, "The provider fails");
		},
	},
	{
		operation: "listBranches, validateRepo, listOrgRepos, listSharedRepos",
		contract: "configured providers first",
		ours: "the caller's own connections first; tokens of the configuration for their organizations only",
	},
	{
		operation: "listOrgRepos, listSharedRepos",
		contract: "`branches` has up to 100 names",
		ours: "`branches` has the default one; `GET /repos/branches` has all",
	},
	{
		operation: "every repository and provider",
		contract: "`github`, `gitlab`, `bitbucket`, `generic`",
		ours: "also `gitea`",
		apply: (edit) => edit.addValue("GitProviderType", "gitea"),
	},
];
