/** Where pull requests mean to differ from the contract. */
import type { Patch } from "../contract-editor.ts";

/** They ask a provider, which may refuse, fail, be busy or be late. */
const asking = [
	"listPullRequests",
	"createPullRequest",
	"getPullRequest",
	"mergePullRequest",
	"getCiStatus",
	"getSessionPr",
] as const;

export const pullPatches: readonly Patch[] = [
	{
		operation: asking.join(", "),
		contract: "a failing provider is an empty list, a 404 or a 409; configured providers only",
		ours: "401, 404, 502, 503 or 504 with a sentence; the caller's own connections first",
		apply(edit) {
			for (const id of asking)
				for (const status of ["400", "404", "502", "503", "504"]) edit.addError(id, status, "The provider fails");
		},
	},
	{
		operation: "listPullRequests",
		contract: "any `status` is passed on",
		ours: "`open`, `merged`, `closed` or `all`; `limit`, `cursor`, `Link`, `ETag`",
		apply(edit) {
			edit.addQuery("listPullRequests", "limit", { type: "integer", minimum: 1, maximum: 500 });
			edit.addQuery("listPullRequests", "cursor", { type: "string" });
		},
	},
	{
		operation: "createPullRequest",
		contract: "the branch is there already; `target_branch` is `main`",
		ours: "the session's work is committed and pushed; default is the base of the session or the main branch; `draft`, `repo`; 403 for administrators, 409 with a reason",
		apply(edit) {
			edit.addError("createPullRequest", "403", "Not the owner of the session");
			edit.addError("createPullRequest", "409", "The work cannot be pushed");
			edit.addRefusal("createPullRequest");
			const properties = edit.properties("PRCreateRequest");
			properties["draft"] = { type: "boolean" };
			properties["repo"] = { type: ["string", "null"] };
		},
	},
	{
		operation: "every pull request",
		contract: "without head, mergeability, draft and session",
		ours: "`head_sha`, `mergeable`, `draft`, `session_id`",
		apply(edit) {
			const properties = edit.properties("PullRequestResponse");
			properties["head_sha"] = { type: "string" };
			properties["mergeable"] = { type: ["boolean", "null"] };
			properties["draft"] = { type: "boolean" };
			properties["session_id"] = { type: ["string", "null"], format: "uuid" };
		},
	},
	{
		operation: "mergePullRequest",
		contract: "any `merge_method` is passed on; a pull request that is merged already is 409",
		ours: "`merge`, `squash` or `rebase`; `expected_head_sha`; merged already is 200; no body counts as `{}`; `sha`",
		apply(edit) {
			edit.makeBodyOptional("mergePullRequest");
			edit.properties("PRMergeRequest")["expected_head_sha"] = { type: ["string", "null"] };
			edit.properties("MergeResultResponse")["sha"] = { type: ["string", "null"] };
		},
	},
	{
		operation: "streamSessions",
		contract: "`pr_merged` does not name the session",
		ours: "`session_id`, null for a pull request of no session; `merge_method` is null when it was merged elsewhere",
		apply(edit) {
			const properties = edit.properties("SsePrMerged");
			properties["session_id"] = { type: ["string", "null"] };
			properties["merge_method"] = { type: ["string", "null"] };
		},
	},
];
