/** The adapter of GitHub, with answers in the form of GitHub's description. */
import { Provider as GitHub } from "#services/git/git-providers/github/github.ts";
import type { Subject } from "../subject.ts";
import { CannedServer } from "./canned-server.ts";
import { gitOperations, head, merged, time } from "./git-subject.ts";

const web = "https://github.example/acme/api";
const at = "/repos/acme/api";
const pull = {
	number: 1,
	title: "Fix",
	html_url: `${web}/pull/1`,
	state: "open",
	body: "It",
	head: { ref: "fix", sha: head },
	base: { ref: "main", sha: merged },
	draft: false,
	merged_at: null,
	mergeable: true,
	mergeable_state: "clean",
	merge_commit_sha: null,
	user: { login: "ada" },
	created_at: time,
	updated_at: time,
};
const run = { name: "test", status: "completed", conclusion: "success", html_url: `${web}/runs/1`, completed_at: time };
const status = { context: "lint", state: "success", target_url: `${web}/lint`, updated_at: time };
const review = { user: { login: "eve" }, state: "APPROVED", html_url: `${web}#1`, submitted_at: time, commit_id: head };

const answers = {
	[`GET ${at}`]: {
		name: "api",
		owner: { login: "acme" },
		html_url: web,
		clone_url: `${web}.git`,
		default_branch: "main",
	},
	[`GET ${at}/branches`]: [{ name: "main" }, { name: "fix" }],
	[`GET ${at}/pulls/1`]: pull,
	[`GET ${at}/pulls/1/reviews`]: [review],
	[`GET ${at}/pulls/1/files`]: [{ filename: "a.ts", additions: 1, deletions: 2 }],
	[`GET ${at}/commits/${head}/status`]: { state: "success", total_count: 1, statuses: [status] },
	[`GET ${at}/commits/${head}/check-runs`]: { total_count: 1, check_runs: [run] },
	[`GET ${at}/pulls`]: [],
	[`POST ${at}/pulls`]: pull,
	[`PUT ${at}/pulls/1/merge`]: { sha: merged, merged: true, message: "Merged" },
};

export const github: Subject = {
	name: "github",
	operations: gitOperations(
		({ origin, token, outbound }) =>
			new GitHub({ name: "evil", base_url: origin, token, orgs: [], outbound, isConfigured: false }),
	),
	start: () => CannedServer.start(answers),
};
