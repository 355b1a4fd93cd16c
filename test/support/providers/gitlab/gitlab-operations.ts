/** The operations of a fake GitLab, by their names in test/providers/gitlab/gitlab-calls.yaml. */
import { git } from "../../repositories/git-repository.ts";
import { type GitLabAnswers, isDraft, type Json } from "./gitlab-answers.ts";
import { type FakeMergeRequest, type FakeProject, type GitLabState, mayPersonSee } from "./gitlab-state.ts";

/** A status and a body. */
export type Answer = readonly [status: number, body: unknown];

/** A question and the person who asks it. */
export interface Asked {
	readonly params: Readonly<Record<string, string>>;
	readonly query: Readonly<Record<string, string | readonly string[]>>;
	readonly body: Json;
	readonly username: string | undefined;
}

type Operation = (asked: Asked) => Answer;

const notFound = (what: string): Answer => [404, { message: `404 ${what} Not Found` }];
const notAllowed: Answer = [405, { message: "405 Method Not Allowed" }];

export function gitlabOperations(state: GitLabState, answers: GitLabAnswers): Readonly<Record<string, Operation>> {
	const inProject =
		(work: (project: FakeProject, asked: Asked) => Answer): Operation =>
		(asked) => {
			const project = state.visible(asked.params["id"] ?? "", asked.username);
			return project ? work(project, asked) : notFound("Project");
		};
	const ofRequest = (work: (request: FakeMergeRequest, asked: Asked) => Answer): Operation =>
		inProject((project, asked) => {
			const request = state.request(project, Number(asked.params["iid"]));
			return request ? work(request, asked) : [404, { message: "404 Not found" }];
		});
	const statusesOf = (project: FakeProject, sha: string) =>
		state.statuses.filter((one) => one.project === project && one.sha === sha);
	const projectsOf = (isIn: (group: string) => boolean, username: string | undefined): Json[] =>
		state.projects
			.filter((one) => isIn(one.group) && mayPersonSee(one, username))
			.map((project) => answers.project(project));
	return {
		user: ({ username }) =>
			username === undefined ? [401, { message: "401 Unauthorized" }] : [200, answers.user(username)],
		project: inProject((project) => [200, answers.project(project)]),
		groupProjects: ({ params: { id = "" }, query, username }) => {
			const isBelow = (group: string) => query["include_subgroups"] !== undefined && group.startsWith(`${id}/`);
			const isKnown = state.projects.some(({ group }) => group === id || group.startsWith(`${id}/`));
			const isPerson = state.users.some((one) => one.username === id);
			return isKnown && !isPerson
				? [200, projectsOf((group) => group === id || isBelow(group), username)]
				: notFound("Group");
		},
		userProjects: ({ params: { id = "" }, username }) =>
			state.users.some((one) => one.username === id)
				? [200, projectsOf((group) => group === id, username)]
				: notFound("User"),
		branches: inProject((project) => [
			200,
			project.git.branches().map(({ name, sha }) => answers.branch(project, name, sha)),
		]),
		branch: inProject((project, { params: { branch = "" } }) => {
			const sha = project.git.commitOf(branch);
			return sha === undefined ? notFound("Branch") : [200, answers.branch(project, branch, sha)];
		}),
		mergeBase: inProject((project, { query }) => {
			const [one = "", other = ""] = [query["refs[]"] ?? []].flat();
			const [base = ""] = git(project.git.path, ["merge-base", one, other]).split("\n");
			const [commit] = project.git.commits(base);
			return commit ? [200, answers.commit(project, commit)] : notFound("Merge Base");
		}),
		commits: inProject((project, { query: { ref_name = "main", since = "" } }) =>
			project.git.commitOf(String(ref_name)) === undefined
				? notFound("Commit")
				: [200, project.git.commits(String(ref_name), String(since)).map((one) => answers.commit(project, one))],
		),
		commit: inProject((project, { params: { sha = "" } }) => {
			const known = project.git.commitOf(sha);
			const [commit] = known === undefined ? [] : project.git.commits(known);
			return commit ? [200, answers.commit(project, commit)] : notFound("Commit");
		}),
		statuses: inProject((project, { params: { sha = "" } }) => [
			200,
			statusesOf(project, sha).map((one, index) => answers.status(one, index)),
		]),
		pipelines: inProject((project, { query: { sha = "" } }) => [
			200,
			answers.pipelines(project, String(sha), statusesOf(project, String(sha))),
		]),
		mergeRequests: inProject((project, { query }) => [
			200,
			listed(state, project, query).map((one) => answers.request(one)),
		]),
		createMergeRequest: inProject((project, asked) => create(state, answers, project, asked)),
		mergeRequest: ofRequest((request) => [200, answers.request(request, { isAsked: true })]),
		merge: ofRequest((request, asked) => merge(state, answers, request, asked)),
		approvals: ofRequest(({ approvals }) => [
			200,
			{ approved_by: approvals.map(({ username, at }) => ({ user: answers.user(username), approved_at: at })) },
		]),
		reviewers: ofRequest(({ reviewers }) => [
			200,
			reviewers.map(({ username, state: said, at }) => ({ user: answers.user(username), state: said, created_at: at })),
		]),
		versions: ofRequest((request) => {
			state.headOf(request);
			const newestFirst = request.versions.toReversed();
			return [200, newestFirst.map(({ sha, at }, index) => ({ id: index + 1, head_commit_sha: sha, created_at: at }))];
		}),
		diffs: ofRequest((request) => {
			const head = state.headOf(request);
			const files = head === undefined ? [] : request.project.git.files(request.target, head);
			return [200, files.map((file) => answers.diff(file))];
		}),
	};
}

function listed(state: GitLabState, project: FakeProject, query: Asked["query"]): FakeMergeRequest[] {
	const { state: wanted = "all", source_branch, target_branch } = query;
	const found = state.requests.filter(
		(one) =>
			one.project === project &&
			(wanted === "all" || one.state === wanted) &&
			(source_branch === undefined || one.source === source_branch) &&
			(target_branch === undefined || one.target === target_branch),
	);
	return found.toReversed();
}

/** Opens merge requests of branches that do not exist too, as GitLab itself does. */
function create(state: GitLabState, answers: GitLabAnswers, project: FakeProject, { body, username }: Asked): Answer {
	if (username === undefined) return [401, { message: "401 Unauthorized" }];
	const {
		source_branch: source,
		target_branch: target,
		title,
		description = "",
		labels = "",
	} = body as Record<"source_branch" | "target_branch" | "title", string> & { description?: string; labels?: string };
	if (source === target)
		return [422, { message: { branch_conflict: ["You can't use same project/branch for source and target"] } }];
	const open = state.requests.find(
		(one) =>
			one.project === project &&
			!one.is_from_fork &&
			one.source === source &&
			one.target === target &&
			one.state === "opened",
	);
	if (open)
		return [409, { message: [`Another open merge request already exists for this source branch: !${open.iid}`] }];
	const request: FakeMergeRequest = {
		project,
		iid: state.requests.filter((one) => one.project === project).length + 1,
		title,
		description,
		source,
		target,
		labels: labels.split(",").filter((label) => label !== ""),
		author: username,
		created_at: new Date().toISOString(),
		versions: [],
		approvals: [],
		reviewers: [],
		state: "opened",
		merge_commit_sha: null,
		squash_commit_sha: null,
		merged_at: null,
		checking: 1,
	};
	state.requests.push(request);
	return [201, answers.request(request)];
}

function mayBeMerged(request: FakeMergeRequest): boolean {
	const { state, blocked, checking } = request;
	return state === "opened" && !isDraft(request) && blocked === undefined && checking === 0;
}

function merge(state: GitLabState, answers: GitLabAnswers, request: FakeMergeRequest, { body }: Asked): Answer {
	const { project, target, title, iid } = request;
	const head = state.headOf(request);
	if (!mayBeMerged(request) || head === undefined) return notAllowed;
	if (body["sha"] !== undefined && body["sha"] !== head)
		return [409, { message: "SHA does not match HEAD of source branch" }];
	if (!project.git.canMerge(target, head)) return [422, { message: "Branch cannot be merged" }];
	const method = body["squash"] === true ? "squash" : "merge";
	const sha = project.git.merge(target, head, { method, message: `${title}\n\nSee merge request !${iid}` });
	request.state = "merged";
	request.merged_at = new Date().toISOString();
	if (method === "squash") request.squash_commit_sha = sha;
	else request.merge_commit_sha = sha;
	return [200, answers.request(request)];
}
