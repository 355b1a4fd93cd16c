/** Where integrations mean to differ from the contract. */
import type { Patch } from "../contract-editor.ts";

const lists = ["listCatalog", "listIntegrations"] as const;

export const integrationPatches: readonly Patch[] = [
	{
		operation: lists.join(", "),
		contract: "unbounded",
		ours: "`limit` (default 500), `cursor`, headers `Link` and `ETag`",
		apply(edit) {
			edit.addPages(...lists);
			edit.addValidation(...lists);
		},
	},
	{
		operation: "createIntegration",
		contract: "unbounded; neither slug nor adapter nor config is checked",
		ours: "409 for more than 100 of a person; 422 for an entry or a setting that the catalogue does not have",
		apply: (edit) => edit.addError("createIntegration", "409", "There are too many connections"),
	},
	{
		operation: "updateIntegration",
		contract: "422 without a body",
		ours: "no body counts as `{}`",
		apply: (edit) => edit.makeBodyOptional("updateIntegration"),
	},
];
