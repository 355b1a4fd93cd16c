/** The adapter of Gitea, with answers in the form that Gitea gives. */
import { Provider as Gitea } from "#services/git/git-providers/gitea/gitea.ts";
import type { Subject } from "../subject.ts";
import { CannedServer } from "./canned-server.ts";
import { gitOperations, head, merged, time } from "./git-subject.ts";

const web = "https://gitea.example/acme/api";
const at = "/api/v1/repos/acme/api";
const pull = {
	number: 1,
	title: "Fix",
	html_url: `${web}/pulls/1`,
	state: "open",
	body: "It",
	head: { ref: "fix", sha: head },
	base: { ref: "main", sha: merged },
	draft: false,
	merged: false,
	mergeable: true,
	merge_commit_sha: null,
	user: { login: "ada" },
	created_at: time,
	updated_at: time,
};
const review = {
	user: { login: "eve" },
	state: "APPROVED",
	commit_id: head,
	dismissed: false,
	official: true,
	html_url: `${web}#1`,
	submitted_at: time,
};
const status = { context: "lint", status: "success", target_url: `${web}/lint`, updated_at: time };

function answers() {
	let isMerged = false;
	return {
		[`GET ${at}`]: {
			name: "api",
			owner: { login: "acme" },
			html_url: web,
			clone_url: `${web}.git`,
			default_branch: "main",
		},
		[`GET ${at}/branches`]: [{ name: "main" }, { name: "fix" }],
		[`GET ${at}/pulls/1`]: () =>
			isMerged ? { ...pull, state: "closed", merged: true, merge_commit_sha: merged } : pull,
		[`GET ${at}/pulls/1/reviews`]: [review],
		[`GET ${at}/pulls/1/files`]: [{ filename: "a.ts", additions: 1, deletions: 2 }],
		[`GET ${at}/commits/${head}/status`]: { state: "success", statuses: [status] },
		[`GET ${at}/pulls`]: [],
		[`POST ${at}/pulls`]: pull,
		[`POST ${at}/pulls/1/merge`]() {
			isMerged = true;
			return {};
		},
	};
}

export const gitea: Subject = {
	name: "gitea",
	operations: gitOperations(
		({ origin, token, outbound }) =>
			new Gitea({ name: "evil", base_url: origin, token, orgs: [], outbound, isConfigured: false }),
		true,
	),
	start: () => CannedServer.start(answers()),
};
