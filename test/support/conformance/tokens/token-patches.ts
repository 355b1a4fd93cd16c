/** Where personal access tokens mean to differ from the contract. */
import type { Patch } from "../contract-editor.ts";

export const tokenPatches: readonly Patch[] = [
	{
		operation: "listTokens",
		contract: "unbounded",
		ours: "`limit` (default 500), `cursor`, headers `Link` and `ETag`",
		apply(edit) {
			edit.addPages("listTokens");
			edit.addValidation("listTokens");
		},
	},
	{
		operation: "createToken, listTokens",
		contract: "–",
		ours: "also `scope` and `expires_at`; a request may have `scope` and `expires_in_days`",
		apply(edit) {
			const scope = { type: "string", enum: ["read", "write", "admin"] } as const;
			const expires_at = { type: "string", format: "date-time" } as const;
			for (const schema of ["CreatePATResponse", "PATResponse"])
				Object.assign(edit.properties(schema), { scope, expires_at });
			const expires_in_days = { type: "integer", minimum: 1, maximum: 365 } as const;
			Object.assign(edit.properties("CreatePATRequest"), { scope, expires_in_days });
		},
	},
	{
		operation: "createToken, listTokens, revokeToken",
		contract: "by everybody who is known",
		ours: "403 for a personal access token: it makes, shows and revokes none",
		apply(edit) {
			for (const id of ["createToken", "listTokens", "revokeToken"]) edit.addError(id, "403", "No login");
		},
	},
	{
		operation: "createToken",
		contract: "–",
		ours: "503 where the installation has no issuer of tokens",
		apply: (edit) => edit.addError("createToken", "503", "No issuer"),
	},
];
