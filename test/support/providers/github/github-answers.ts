/** Makes the fake GitHub's answers: the description's own examples with the members that the state determines. */
import type { FakeCheck, FakeIssue, FakePull, FakeRepository, FakeReview, GitHubState } from "./github-state.ts";
import type { BareCommit, BareFile } from "../../repositories/bare-git.ts";

export type Json = Record<string, unknown>;

/** Returns the description's example of an operation's answer. */
export type Example = (operation: string, status?: number) => Json;

/** Makes answers for clients that reach the fake at one address. */
export class GitHubAnswers {
	readonly #example: Example;
	readonly #state: GitHubState;
	/** The address of web pages and of git. */
	readonly #web: string;

	constructor(example: Example, state: GitHubState, web: string) {
		this.#example = example;
		this.#state = state;
		this.#web = web;
	}

	user(login: string): Json {
		return { ...this.#example("users/get-authenticated"), login };
	}

	/** @param operation The operation whose form of a repository is wanted. */
	repository(repository: FakeRepository, operation: string): Json {
		const { owner, name } = repository;
		const page = `${this.#web}/${owner}/${name}`;
		const names = {
			name,
			full_name: `${owner}/${name}`,
			html_url: page,
			clone_url: `${page}.git`,
			default_branch: "main",
			language: null,
		};
		const example = this.#example(operation === "repos/get" ? operation : "repos/list-for-org");
		const base = Array.isArray(example) ? (example[0] ?? {}) : example;
		return { ...withoutCopies(base), ...names, owner: { ...ownerOf(base), login: owner } };
	}

	/** The full form of a repository, as the lists of the person's own ones have it. */
	fullRepository(repository: FakeRepository): Json {
		const pull = this.#example("pulls/get");
		const head = pull["base"];
		const example = typeof head === "object" && head !== null ? Reflect.get(head, "repo") : {};
		return { ...(example as Json), ...this.repository(repository, "repos/list-for-org"), ...fullMembers };
	}

	branch({ name, sha }: { name: string; sha: string }): Json {
		return { name, protected: name === "main", commit: { sha, url: `${this.#web}/commit/${sha}` } };
	}

	/** @param form `list` leaves out what GitHub computes for one pull request only. */
	pull(pull: FakePull, form: "one" | "list" = "one"): Json {
		const { repository, number, title, body, base, draft, author, state, merged_at, created_at } = pull;
		const example = this.#example("pulls/get");
		const sha = this.#state.headOf(pull);
		const baseSha = repository.git.commitOf(base) ?? "";
		const members = {
			number,
			title,
			body,
			state,
			draft,
			merged_at,
			created_at,
			updated_at: merged_at ?? created_at,
			merge_commit_sha: pull.merge_sha,
			html_url: `${this.#web}/${repository.owner}/${repository.name}/pull/${number}`,
			user: { ...partOf(example, "user"), login: author },
			head: this.#headOf(pull, example),
			base: { ...partOf(example, "base"), ref: base, sha: baseSha, label: `${repository.owner}:${base}` },
			labels: [],
			auto_merge: null,
			requested_teams: [],
		};
		if (form === "list") {
			const [listed = {}] = this.#example("pulls/list") as unknown as Json[];
			return { ...listed, ...members };
		}
		return { ...example, ...members, merged: merged_at !== null, ...this.#mergeability(pull, baseSha, sha) };
	}

	/** @param operation The operation whose form of an issue is wanted. */
	issue({ repository: { owner, name }, number, title, state }: FakeIssue, operation: string): Json {
		const example: unknown = this.#example(operation);
		const listed = Array.isArray(example) ? example : ((example as Json)["items"] ?? [example]);
		const [{ pull_request: _pull, ...one }] = listed as [Json];
		const api = `${this.#web}/api/v3/repos/${owner}/${name}`;
		const urls = { url: `${api}/issues/${number}`, repository_url: api };
		const html_url = `${this.#web}/${owner}/${name}/issues/${number}`;
		const closed_at = state === "closed" ? new Date().toISOString() : null;
		return { ...one, ...urls, html_url, number, title, state, closed_at, labels: [], assignee: null };
	}

	#headOf(pull: FakePull, example: Json): Json {
		const { repository, head, is_from_fork } = pull;
		const part = partOf(example, "head");
		const ends = { ...part, ref: head, sha: this.#state.headOf(pull), label: `${repository.owner}:${head}` };
		return is_from_fork ? { ...ends, label: `stranger:${head}`, repo: { ...partOf(part, "repo"), id: 1 } } : ends;
	}

	#mergeability({ state, repository, draft }: FakePull, base: string, head: string): Json {
		if (state !== "open") return { mergeable: null, mergeable_state: "unknown" };
		if (!repository.git.canMerge(base, head)) return { mergeable: false, mergeable_state: "dirty" };
		const isBlocked = repository.blocked !== undefined;
		return { mergeable: true, mergeable_state: draft ? "draft" : isBlocked ? "blocked" : "clean" };
	}

	status(sha: string, checks: readonly FakeCheck[]): Json {
		const example = this.#example("repos/get-combined-status-for-ref");
		const newest = newestOf(checks);
		const [one = {}] = example["statuses"] as Json[];
		const statuses = newest.map(({ name, state, at }) => ({
			...one,
			context: name,
			state,
			updated_at: at,
			created_at: at,
		}));
		const state = newest.some((check) => check.state === "failure") ? "failure" : "pending";
		return { ...example, sha, state, statuses, total_count: statuses.length };
	}

	runs(sha: string, checks: readonly FakeCheck[]): Json {
		const example = this.#example("checks/list-for-ref");
		const [one = {}] = example["check_runs"] as Json[];
		const check_runs = newestOf(checks).map(({ name, state, at }) => ({
			...one,
			name,
			head_sha: sha,
			status: state === "pending" ? "in_progress" : "completed",
			conclusion: state === "pending" ? null : state,
			started_at: at,
			completed_at: state === "pending" ? null : at,
		}));
		return { total_count: check_runs.length, check_runs };
	}

	review({ login, state, commit, at }: FakeReview): Json {
		const [one = {}] = this.#example("pulls/list-reviews") as unknown as Json[];
		return { ...one, user: { ...partOf(one, "user"), login }, state, commit_id: commit, submitted_at: at };
	}

	file({ path, additions, deletions }: BareFile): Json {
		const url = `${this.#web}/blob/${encodeURIComponent(path)}`;
		const urls = { blob_url: url, raw_url: url, contents_url: url };
		const counts = { additions, deletions, changes: additions + deletions };
		return { sha: "0".repeat(40), filename: path, status: "modified", ...counts, ...urls };
	}

	commit({ sha, message, at, author: name, email }: BareCommit, { owner, name: repo }: FakeRepository): Json {
		const url = `${this.#web}/${owner}/${repo}/commit/${sha}`;
		const person = { name, email, date: at };
		const tree = { sha: "0".repeat(40), url };
		const commit = { url, author: person, committer: person, message, comment_count: 0, tree };
		return {
			url,
			sha,
			node_id: sha,
			html_url: url,
			comments_url: url,
			commit,
			author: null,
			committer: null,
			parents: [],
		};
	}
}

/** GitHub tells the newest outcome of each name. */
function newestOf(checks: readonly FakeCheck[]): FakeCheck[] {
	return checks.filter((check, index) => checks.findLastIndex(({ name }) => name === check.name) === index);
}

/** Members that the full form of a repository requires beyond the short one. */
const fullMembers = {
	disabled: false,
	archived: false,
	visibility: "public",
	forks: 0,
	open_issues: 0,
	watchers: 0,
	license: null,
};

function partOf(json: Json, name: string): Json {
	const part = json[name];
	return typeof part === "object" && part !== null ? { ...part } : {};
}

function ownerOf(json: Json): Json {
	return partOf(json, "owner");
}

/** The example of a full repository holds others, which the answers do not need. */
function withoutCopies(json: Json): Json {
	const { template_repository: _template, parent: _parent, source: _source, ...rest } = json;
	return rest;
}
