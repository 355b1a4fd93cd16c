/** Where credentials mean to differ from the contract. */
import type { Patch } from "../contract-editor.ts";
import type { JsonSchema } from "../json-schema.ts";

const lists = ["listCredentialTypes", "listCredentials", "listTenantCredentials"] as const;

export const credentialPatches: readonly Patch[] = [
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
		operation: "createCredential, createTenantCredential",
		contract: "unbounded",
		ours: "409 for more than 100 of one owner",
		apply(edit) {
			for (const id of ["createCredential", "createTenantCredential"])
				edit.addError(id, "409", "There are too many credentials");
		},
	},
	{
		operation: "createCredential, createTenantCredential",
		contract: "`url` of a `git_credential` may be anything",
		ours: "it has the form `https://<user>:<token>@<host>`; 422 otherwise",
	},
	{
		operation: "deleteCredential, deleteTenantCredential",
		contract: "204",
		ours: "200 with `affected_sessions` when sessions run that have read it",
		apply(edit) {
			const affected: JsonSchema = {
				type: "object",
				required: ["affected_sessions"],
				properties: {
					affected_sessions: {
						type: ["array", "null"],
						items: { type: "object", properties: { id: { type: "string" }, name: { type: "string" } } },
					},
				},
			};
			for (const id of ["deleteCredential", "deleteTenantCredential"])
				edit.operation(id).responses["200"] = {
					description: "Deleted; these sessions have read it",
					content: { "application/json": { schema: affected } },
				};
		},
	},
];
