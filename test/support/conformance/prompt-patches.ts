/** Where saved prompts mean to differ from the contract. */
import type { Patch } from "./contract-editor.ts";

export const promptPatches: readonly Patch[] = [
	{
		operation: "listPrompts, searchPrompts",
		contract: "unbounded; `%` and `_` of a search are wildcards",
		ours: "`limit` (default 500), `cursor`, headers `Link` and `ETag`; no wildcards",
		apply: (edit) => edit.addPages("listPrompts", "searchPrompts"),
	},
	{
		operation: "updatePrompt, deletePrompt",
		contract: "by everybody",
		ours: "403 for a prompt of somebody else of the tenant, 404 for one of another tenant",
		apply(edit) {
			for (const id of ["updatePrompt", "deletePrompt"]) edit.addError(id, "403", "Not the creator");
		},
	},
	{
		operation: "createPrompt, updatePrompt",
		contract: "scope and project_repo need not agree",
		ours: "`project` without `project_repo` is 422; `project_repo` of a global prompt is null",
	},
	{
		operation: "updatePrompt",
		contract: "422 without a body",
		ours: "no body counts as `{}`",
		apply: (edit) => edit.makeBodyOptional("updatePrompt"),
	},
];
