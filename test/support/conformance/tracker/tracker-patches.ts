/** Where trackers, mappings and issues mean to differ from the contract. */
import type { Patch } from "../contract-editor.ts";
import type { JsonSchema } from "../json-schema.ts";

const nullableText: JsonSchema = { type: ["string", "null"] };
/** They ask a tracker, which may refuse, fail, be busy or be late. */
const asking = ["searchTrackerIssues", "recentTrackerIssues", "updateTrackerIssue", "setIssueStatus"];

export const trackerPatches: readonly Patch[] = [
	{
		operation: "trackerStatus, searchTrackerIssues, recentTrackerIssues, updateTrackerIssue",
		contract: "the configured Linear only; no routes without it",
		ours: "always there; the caller's first connection, then the configuration; without any `connected` is false, lists are empty, an update is 404",
	},
	{
		operation: asking.join(", "),
		contract: "a failing tracker is a 500",
		ours: "502, 503 or 504 with a sentence",
		apply(edit) {
			for (const id of asking)
				for (const status of ["502", "503", "504"]) edit.addError(id, status, "The tracker fails");
		},
	},
	{
		operation: "updateTrackerIssue, setIssueStatus, createMapping",
		contract: "422 has a list",
		ours: "also a sentence: an unknown state with those that exist, a repository that no session can have",
		apply(edit) {
			for (const id of ["updateTrackerIssue", "setIssueStatus", "createMapping"]) edit.addRefusal(id);
		},
	},
	{
		operation: "listMappings, createMapping",
		contract: "unbounded; only repository and project",
		ours: "of the tenant; `limit`, `cursor`, `Link`, `ETag`; `tracker`, `connection_id`, `on_start`, `on_merge`",
		apply(edit) {
			edit.addPages("listMappings");
			edit.addValidation("listMappings");
			for (const schema of ["MappingCreate", "MappingResponse"])
				for (const name of ["tracker", "connection_id", "on_start", "on_merge"])
					edit.properties(schema)[name] = nullableText;
		},
	},
	{
		operation: "deleteMapping",
		contract: "by everybody",
		ours: "403 for a mapping of somebody else of the tenant, 404 for one of another tenant",
		apply: (edit) => edit.addError("deleteMapping", "403", "Not the creator"),
	},
];
