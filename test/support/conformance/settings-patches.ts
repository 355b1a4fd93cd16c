/** Where settings and what belongs to them mean to differ from the contract. */
import type { Patch } from "./contract-editor.ts";

const lists = [
	"listFeatures",
	"getFeaturePreferences",
	"listMcpServers",
	"listSecrets",
	"listModels",
	"listTemplates",
] as const;

export const settingsPatches: readonly Patch[] = [
	{
		operation: "health",
		contract: "`status` only",
		ours: "also `shortcomings`",
		apply(edit) {
			const properties = {
				status: { type: "string" },
				shortcomings: { type: "array", items: { type: "string" } },
			} as const;
			edit.addAlternative("health", "200", { type: "object", required: Object.keys(properties), properties });
		},
	},
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
		operation: "listMcpServers, getMcpServer",
		contract: "–",
		ours: "also `env` and `headers`, whose values only administrators see",
		apply(edit) {
			const texts = { type: "object", additionalProperties: { type: "string" } } as const;
			Object.assign(edit.properties("McpServerResponse"), { env: texts, headers: texts });
		},
	},
	{
		operation: "listSecrets, createSecret, getSecret",
		contract: "everybody's",
		ours: "the caller's own; 409 for more than 100, 503 when there is no room",
		apply: (edit) => edit.addError("createSecret", "503", "There is no room"),
	},
	{
		operation: "setFeaturePreferences",
		contract: "any module",
		ours: "422 for a module that does not exist, and for one that is named twice",
	},
	{
		operation: "toggleFeature, getAdminSettings, updateAdminSettings",
		contract: "for everybody",
		ours: "for the tenant of the administrator",
	},
	{
		operation: "getAdminSettings, getFeatureFlags",
		contract: "`file_manager_enabled` is true at first",
		ours: "it is `features.file_manager` at first, which is false: there is no file manager",
	},
	{
		operation: "updateAdminSettings",
		contract: "422 without a body; `file_manager_enabled` is true where it is left out",
		ours: "no body counts as `{}`; what is left out stays",
		apply: (edit) => edit.makeBodyOptional("updateAdminSettings"),
	},
];
