/** The state of a fake GitLab: what people did there. Heads, branches and files come from real repositories on disk. */
import { BareGit } from "../../repositories/bare-git.ts";

/** A project of the fake. */
export interface FakeProject {
	readonly id: number;
	/** The groups, with a `/` between them. */
	readonly group: string;
	readonly name: string;
	readonly git: BareGit;
	/** The usernames that see it; absent: everybody. */
	readonly members?: readonly string[];
}

/** A push to the source branch that GitLab has seen. */
export interface FakeVersion {
	readonly sha: string;
	readonly at: string;
}

export interface FakeMergeRequest {
	readonly project: FakeProject;
	readonly iid: number;
	readonly title: string;
	readonly description: string;
	readonly source: string;
	readonly target: string;
	readonly labels: readonly string[];
	readonly author: string;
	readonly created_at: string;
	readonly versions: FakeVersion[];
	readonly approvals: { readonly username: string; readonly at: string }[];
	readonly reviewers: { readonly username: string; readonly state: string; readonly at: string }[];
	state: "opened" | "merged" | "closed";
	merge_commit_sha: string | null;
	squash_commit_sha: string | null;
	merged_at: string | null;
	/** How many questions are answered with `checking` before GitLab knows whether it can merge. */
	checking: number;
	/** The source is a branch of somebody else's fork. */
	readonly is_from_fork?: true;
	/** A rule that forbids the merge, by GitLab's word. */
	blocked?: string;
}

/** A status of a commit; each makes a pipeline, as jobs and statuses of others do. */
export interface FakeStatus {
	readonly project: FakeProject;
	readonly sha: string;
	readonly name: string;
	readonly status: string;
	readonly at: string;
	readonly allow_failure: boolean;
}

/** Everything that the fake knows. */
export class GitLabState {
	readonly users: { readonly username: string; readonly token: string }[] = [];
	readonly projects: FakeProject[] = [];
	readonly requests: FakeMergeRequest[] = [];
	readonly statuses: FakeStatus[] = [];

	/** Adds a project that is at this place on disk. */
	addProject(fullPath: string, path: string, members?: readonly string[]): FakeProject {
		const end = fullPath.lastIndexOf("/");
		const [group, name] = [fullPath.slice(0, end), fullPath.slice(end + 1)];
		const project = { id: this.projects.length + 1, group, name, git: new BareGit(path), ...(members && { members }) };
		this.projects.push(project);
		return project;
	}

	/** Returns the project of a whole path, when the person may see it. */
	visible(fullPath: string, username: string | undefined): FakeProject | undefined {
		const wanted = fullPath.toLowerCase();
		const found = this.projects.find(({ group, name }) => `${group}/${name}`.toLowerCase() === wanted);
		return found && mayPersonSee(found, username) ? found : undefined;
	}

	request(project: FakeProject, iid: number): FakeMergeRequest | undefined {
		return this.requests.find((one) => one.project === project && one.iid === iid);
	}

	/** Returns the end of the source branch, and notes a push since the last look. */
	headOf(request: FakeMergeRequest): string | undefined {
		const { versions, state, project, source, is_from_fork } = request;
		const sha = state === "opened" && !is_from_fork ? project.git.commitOf(source) : undefined;
		if (sha !== undefined && versions.at(-1)?.sha !== sha) versions.push({ sha, at: new Date().toISOString() });
		return versions.at(-1)?.sha;
	}

	/** Sets the status of a branch's newest commit; a newer one of the same name replaces it. */
	setStatus(project: FakeProject, ref: string, status: Pick<FakeStatus, "name" | "status" | "allow_failure">): void {
		const sha = project.git.commitOf(ref) ?? ref;
		const older = this.statuses.findIndex(
			(one) => one.project === project && one.sha === sha && one.name === status.name,
		);
		if (older !== -1) this.statuses.splice(older, 1);
		this.statuses.push({ ...status, project, sha, at: new Date().toISOString() });
	}
}

export function mayPersonSee({ members }: FakeProject, username: string | undefined): boolean {
	return members === undefined || (username !== undefined && members.includes(username));
}
