/** The state of a fake GitHub: what people did there. Heads, branches and files come from real repositories on disk. */
import { BareGit } from "../../repositories/bare-git.ts";

/** A repository of the fake. */
export interface FakeRepository {
	readonly owner: string;
	readonly name: string;
	readonly git: BareGit;
	/** The logins that see it; absent: everybody. */
	readonly members?: readonly string[];
	/** Merges are refused with this sentence, as by a rule of the repository. */
	blocked?: string;
}

export interface FakePull {
	readonly repository: FakeRepository;
	readonly number: number;
	readonly title: string;
	readonly body: string;
	readonly head: string;
	readonly base: string;
	readonly draft: boolean;
	readonly author: string;
	readonly created_at: string;
	state: "open" | "closed";
	merged_at: string | null;
	merge_sha: string | null;
	/** The head of a pull request that is no longer open. */
	last_head: string;
	readonly labels: string[];
	/** The head is a branch of somebody else's fork. */
	readonly is_from_fork?: true;
}

export interface FakeReview {
	readonly pull: number;
	readonly repository: FakeRepository;
	readonly login: string;
	readonly state: "APPROVED" | "CHANGES_REQUESTED" | "COMMENTED" | "DISMISSED";
	readonly commit: string;
	readonly at: string;
}

/** The outcome that a status or a check run reports. */
export interface FakeCheck {
	readonly sha: string;
	readonly name: string;
	readonly kind: "status" | "run";
	/** `success`, `failure`, `error`, `pending` of a status; a conclusion or `pending` of a run. */
	readonly state: string;
	readonly at: string;
}

export interface FakeIssue {
	readonly repository: FakeRepository;
	readonly number: number;
	readonly title: string;
	state: "open" | "closed";
}

/** A person with a token. */
export interface FakeUser {
	readonly login: string;
	readonly token: string;
}

/** Everything that the fake knows. */
export class GitHubState {
	readonly users: FakeUser[] = [];
	/** The logins that are organizations. */
	readonly orgs = new Set<string>();
	readonly repositories: FakeRepository[] = [];
	readonly pulls: FakePull[] = [];
	/** The one that changed last is at the end. */
	readonly issues: FakeIssue[] = [];
	readonly reviews: FakeReview[] = [];
	readonly checks: FakeCheck[] = [];

	/** Adds a repository that is at this place on disk. */
	addRepository(fullName: string, path: string, more: Partial<FakeRepository> = {}): FakeRepository {
		const [owner = "", name = ""] = fullName.split("/");
		const repository = { owner, name, git: new BareGit(path), ...more };
		this.repositories.push(repository);
		return repository;
	}

	/** Returns the repository, when the person may see it. */
	visible(owner: string, name: string, login: string | undefined): FakeRepository | undefined {
		const found = this.repositories.find(
			(one) => one.owner.toLowerCase() === owner.toLowerCase() && one.name.toLowerCase() === name.toLowerCase(),
		);
		return found && mayPersonSee(found, login) ? found : undefined;
	}

	pull(repository: FakeRepository, number: number): FakePull | undefined {
		return this.pulls.find((pull) => pull.repository === repository && pull.number === number);
	}

	/** Returns the commit at the end of a pull request's source branch. */
	headOf({ state, last_head, head, repository, is_from_fork }: FakePull): string {
		return state === "open" && !is_from_fork ? (repository.git.commitOf(head) ?? last_head) : last_head;
	}

	/** Reports a check of a branch's newest commit. */
	check(repository: FakeRepository, ref: string, check: Omit<FakeCheck, "sha" | "at">): void {
		this.checks.push({ ...check, sha: repository.git.commitOf(ref) ?? ref, at: new Date().toISOString() });
	}

	/** Reviews a pull request at its present head. */
	review(pull: FakePull, login: string, state: FakeReview["state"]): void {
		const { repository, number } = pull;
		this.reviews.push({
			repository,
			pull: number,
			login,
			state,
			commit: this.headOf(pull),
			at: new Date().toISOString(),
		});
	}
}

/** Whether a person may see the repository. */
export function mayPersonSee({ members }: FakeRepository, login: string | undefined): boolean {
	return members === undefined || (login !== undefined && members.includes(login));
}
