/** The answers of a fake GitLab, in the form of its API. */
import type { BareCommit, BareFile } from "../../repositories/bare-git.ts";
import type { FakeMergeRequest, FakeProject, FakeStatus, GitLabState } from "./gitlab-state.ts";

export type Json = Record<string, unknown>;

export class GitLabAnswers {
	readonly #state: GitLabState;
	readonly #url: string;
	readonly #commits = new Map<string, BareCommit>();

	/** @param url The address of the web pages. */
	constructor(state: GitLabState, url: string) {
		this.#state = state;
		this.#url = url;
	}

	user(username: string): Json {
		const id = this.#state.users.findIndex((one) => one.username === username) + 1;
		return { id, username, name: username, web_url: `${this.#url}/${username}` };
	}

	project({ id, group, name, git }: FakeProject): Json {
		const path = `${group}/${name}`;
		return {
			id,
			name,
			path: name,
			path_with_namespace: path,
			web_url: `${this.#url}/${path}`,
			http_url_to_repo: `${this.#url}/${path}.git`,
			ssh_url_to_repo: `git@127.0.0.1:${path}.git`,
			default_branch: git.commitOf("main") === undefined ? null : "main",
		};
	}

	branch(project: FakeProject, name: string, sha: string): Json {
		return { name, protected: name === "main", commit: this.commit(project, this.#commitOf(project, sha)) };
	}

	/** Many branches have the same end. */
	#commitOf({ git }: FakeProject, sha: string): BareCommit {
		const known = this.#commits.get(sha) ?? git.commits(sha)[0];
		if (!known) throw new TypeError(`There is no commit ${sha}`);
		this.#commits.set(sha, known);
		return known;
	}

	commit({ group, name }: FakeProject, { sha, message, at }: BareCommit): Json {
		const web_url = `${this.#url}/${group}/${name}/-/commit/${sha}`;
		return { id: sha, short_id: sha.slice(0, 8), message, committed_date: at, web_url };
	}

	status({ sha, name, status, at, allow_failure }: FakeStatus, index: number): Json {
		const finished_at = status === "success" || status === "failed" ? at : null;
		return { id: index + 1, sha, name, status, target_url: null, created_at: at, finished_at, allow_failure };
	}

	/** The pipeline of a commit has the sum of its statuses. */
	pipelines({ group, name }: FakeProject, sha: string, statuses: readonly FakeStatus[]): Json[] {
		const [first] = statuses;
		if (!first) return [];
		const counted = statuses.filter(({ allow_failure }) => !allow_failure).map(({ status }) => status);
		const status = ["failed", "running", "pending", "skipped"].find((word) => counted.includes(word)) ?? "success";
		const id = Number.parseInt(sha.slice(0, 7), 16) + 1;
		const web_url = `${this.#url}/${group}/${name}/-/pipelines/${id}`;
		return [{ id, sha, ref: "work", status, web_url, created_at: first.at, updated_at: first.at }];
	}

	/** @param isAsked Whether somebody asks for this one, which lets GitLab find out whether it can be merged. */
	request(request: FakeMergeRequest, { isAsked = false } = {}): Json {
		const { project, iid, title, description, state, source, target, author, created_at, labels } = request;
		const { merge_commit_sha, squash_commit_sha, merged_at } = request;
		const sha = this.#state.headOf(request) ?? null;
		const word = this.#mergeWord(request, sha, isAsked);
		return {
			id: 1_000 + iid,
			iid,
			project_id: project.id,
			source_project_id: request.is_from_fork ? 1_000_000 : project.id,
			target_project_id: project.id,
			title,
			description,
			state,
			web_url: `${this.#url}/${project.group}/${project.name}/-/merge_requests/${iid}`,
			source_branch: source,
			target_branch: target,
			sha,
			draft: isDraft(request),
			merge_status: olderWord(word),
			detailed_merge_status: word,
			has_conflicts: word === "conflict",
			author: this.user(author),
			created_at,
			updated_at: created_at,
			merge_commit_sha,
			squash_commit_sha,
			merged_at,
			labels,
			squash: false,
		};
	}

	diff({ path, additions, deletions }: BareFile): Json {
		const lines = [...Array<string>(deletions).fill("-old"), ...Array<string>(additions).fill("+new")];
		const diff = `@@ -1,${deletions} +1,${additions} @@\n${lines.join("\n")}\n`;
		return {
			old_path: path,
			new_path: path,
			diff,
			new_file: deletions === 0,
			deleted_file: false,
			renamed_file: false,
		};
	}

	#mergeWord(request: FakeMergeRequest, sha: string | null, isAsked: boolean): string {
		const { state, project, target, blocked } = request;
		if (state !== "opened") return "not_open";
		if (request.checking > 0) {
			if (isAsked) request.checking--;
			return isAsked ? "checking" : "unchecked";
		}
		if (sha === null || !project.git.canMerge(target, sha)) return "conflict";
		return isDraft(request) ? "draft_status" : (blocked ?? "mergeable");
	}
}

export function isDraft({ title }: FakeMergeRequest): boolean {
	return title.startsWith("Draft: ");
}

function olderWord(word: string): string {
	if (word === "checking" || word === "unchecked") return word;
	return word === "conflict" ? "cannot_be_merged" : "can_be_merged";
}
