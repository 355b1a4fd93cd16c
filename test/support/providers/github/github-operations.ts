/** The operations of the fake GitHub. Each returns a status and a body; the server checks both against the description. */
import type { Context } from "openapi-backend";
import { type FakePull, type FakeRepository, type GitHubState, mayPersonSee } from "./github-state.ts";
import type { GitHubAnswers, Json } from "./github-answers.ts";

export type Answer = readonly [status: number, body: unknown];

/** One request of a person. */
export interface Asked {
	readonly params: Readonly<Record<string, string>>;
	readonly query: Readonly<Record<string, string>>;
	readonly body: Json;
	/** Undefined: nobody. */
	readonly login: string | undefined;
}

type Operation = (asked: Asked) => Answer;

const notFound: Answer = [
	404,
	{ message: "Not Found", documentation_url: "https://docs.github.com/rest", status: "404" },
];

/** The list of a page is cut by the server, which knows the page. */
export const listOperations = new Set([
	"repos/list-branches",
	"repos/list-for-org",
	"repos/list-for-user",
	"repos/list-for-authenticated-user",
	"pulls/list",
	"pulls/list-reviews",
	"pulls/list-files",
	"repos/list-commits",
	"issues/list-for-repo",
]);

/** Returns the operations by their ids in the description. */
export function githubOperations(state: GitHubState, answers: GitHubAnswers): Readonly<Record<string, Operation>> {
	const inRepository =
		(work: (repository: FakeRepository, asked: Asked) => Answer): Operation =>
		(asked) => {
			const repository = state.visible(asked.params["owner"] ?? "", asked.params["repo"] ?? "", asked.login);
			return repository ? work(repository, asked) : notFound;
		};
	const ofPull = (work: (pull: FakePull, asked: Asked) => Answer): Operation =>
		inRepository((repository, asked) => {
			const pull = state.pull(repository, Number(asked.params["pull_number"] ?? asked.params["issue_number"]));
			return pull ? work(pull, asked) : notFound;
		});
	const atRef = (work: (sha: string) => Answer): Operation =>
		inRepository(({ git }, { params }) => {
			const sha = git.commitOf(decodeURIComponent(params["ref"] ?? ""));
			return sha === undefined ? [422, { message: `No commit found for SHA: ${params["ref"]}` }] : work(sha);
		});
	const checksAt = (sha: string, kind: string) =>
		state.checks.filter((check) => check.sha === sha && check.kind === kind);
	const seenBy = (login: string | undefined) => state.repositories.filter((one) => mayPersonSee(one, login));
	return {
		"users/get-authenticated": ({ login }) =>
			login === undefined ? [401, { message: "Requires authentication" }] : [200, answers.user(login)],
		"repos/get": inRepository((repository) => [200, answers.repository(repository, "repos/get")]),
		"repos/list-for-org": ({ params: { org = "" }, login }) =>
			state.orgs.has(org) ? [200, ownedBy(seenBy(login), org).map((one) => answers.repository(one, "list"))] : notFound,
		"repos/list-for-user": ({ params: { username = "" }, login }) => [
			200,
			ownedBy(seenBy(login), username).map((one) => answers.repository(one, "list")),
		],
		"repos/list-for-authenticated-user": ({ login }) => [
			200,
			ownedBy(seenBy(login), login ?? "").map((one) => answers.fullRepository(one)),
		],
		"repos/list-branches": inRepository(({ git }) => [200, git.branches().map((branch) => answers.branch(branch))]),
		"repos/list-commits": inRepository((repository, { query: { sha = "main", since } }) => [
			200,
			repository.git.commits(sha, since).map((commit) => answers.commit(commit, repository)),
		]),
		"repos/get-combined-status-for-ref": atRef((sha) => [200, answers.status(sha, checksAt(sha, "status"))]),
		"checks/list-for-ref": atRef((sha) => [200, answers.runs(sha, checksAt(sha, "run"))]),
		"pulls/create": inRepository((repository, asked) => createPull(state, answers, repository, asked)),
		"pulls/get": ofPull((pull) => [200, answers.pull(pull)]),
		"pulls/list": inRepository((repository, { query }) => [
			200,
			listed(state, repository, query).map((pull) => answers.pull(pull, "list")),
		]),
		"pulls/merge": ofPull((pull, { body }) => mergePull(state, pull, body)),
		"pulls/list-reviews": ofPull(({ repository, number }) => [
			200,
			state.reviews
				.filter((one) => one.repository === repository && one.pull === number)
				.map((one) => answers.review(one)),
		]),
		"pulls/list-files": ofPull((pull) => [
			200,
			pull.repository.git.files(pull.base, state.headOf(pull)).map((file) => answers.file(file)),
		]),
		"issues/add-labels": ofPull((pull, { body }) => {
			pull.labels.push(...(body["labels"] as string[]));
			return [200, []];
		}),
	};
}

function ownedBy(repositories: readonly FakeRepository[], login: string): FakeRepository[] {
	return repositories.filter(({ owner }) => owner === login);
}

function createPull(
	state: GitHubState,
	answers: GitHubAnswers,
	repository: FakeRepository,
	{ body, login = "" }: Asked,
): Answer {
	const { title = "", body: text, head = "", base = "", draft = false } = body as Partial<FakePull>;
	const refused = refusalOf(state, repository, { head, base });
	if (refused) return refused;
	const pull: FakePull = {
		repository,
		number: state.pulls.filter((one) => one.repository === repository).length + 1,
		title,
		body: text ?? "",
		head,
		base,
		draft,
		author: login,
		created_at: new Date().toISOString(),
		state: "open",
		merged_at: null,
		merge_sha: null,
		last_head: repository.git.commitOf(head) ?? "",
		labels: [],
	};
	state.pulls.push(pull);
	return [201, answers.pull(pull)];
}

/** Returns the refusal of a pull request of these branches. */
function refusalOf(
	state: GitHubState,
	repository: FakeRepository,
	refs: { head: string; base: string },
): Answer | undefined {
	const { head, base } = refs;
	for (const [field, ref] of Object.entries(refs))
		if (repository.git.commitOf(ref) === undefined) return invalid({ resource: "PullRequest", field, code: "invalid" });
	const custom = { resource: "PullRequest", code: "custom" };
	if (repository.git.ahead(base, head) === 0)
		return invalid({ ...custom, message: `No commits between ${base} and ${head}` });
	const open = listed(state, repository, { state: "open", head: `${repository.owner}:${head}`, base });
	return open.length > 0
		? invalid({ ...custom, message: `A pull request already exists for ${repository.owner}:${head}.` })
		: undefined;
}

function invalid(error: Json): Answer {
	return [422, { message: "Validation Failed", errors: [error], documentation_url: "https://docs.github.com/rest" }];
}

function listed(state: GitHubState, repository: FakeRepository, query: Asked["query"]): FakePull[] {
	const { state: wanted = "open", head, base } = query;
	const found = state.pulls.filter(
		(pull) =>
			pull.repository === repository &&
			(wanted === "all" || pull.state === wanted) &&
			(head === undefined || (!pull.is_from_fork && head === `${repository.owner}:${pull.head}`)) &&
			(base === undefined || base === pull.base),
	);
	return found.toSorted((one, other) => other.number - one.number);
}

function mergePull(state: GitHubState, pull: FakePull, { merge_method: method = "merge", sha }: Json): Answer {
	const { repository, base, title, number } = pull;
	const head = state.headOf(pull);
	const refused = (status: number, message: string): Answer => [
		status,
		{ message, documentation_url: "https://docs.github.com/rest" },
	];
	if (pull.state !== "open" || pull.draft) return refused(405, "Pull Request is not mergeable");
	if (sha !== undefined && sha !== head)
		return refused(409, "Head branch was modified. Review and try the merge again.");
	if (!repository.git.canMerge(base, head)) return refused(405, "Pull Request is not mergeable");
	if (repository.blocked !== undefined) return refused(405, repository.blocked);
	pull.last_head = head;
	pull.merge_sha = repository.git.merge(base, head, { method: String(method), message: `${title} (#${number})` });
	pull.state = "closed";
	pull.merged_at = new Date().toISOString();
	return [200, { sha: pull.merge_sha, merged: true, message: "Pull Request successfully merged" }];
}

/** Returns what a handler needs of the library's context. */
export function askedOf({ request }: Context, login: string | undefined): Asked {
	const texts = (values: object) =>
		Object.fromEntries(Object.entries(values).map(([name, value]) => [name, decodeURIComponent(String(value))]));
	return {
		params: texts(request.params),
		query: Object.fromEntries(Object.entries(request.query).map(([name, value]) => [name, String(value)])),
		body: (request.requestBody ?? {}) as Json,
		login,
	};
}
