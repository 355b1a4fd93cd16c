/** Decides which repository of a session a pull request is for, and from which branch it goes where. Pure. */
import type { Config } from "#shared/config/config.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { BadRequestError, ConflictError, UnprocessableError } from "#shared/base/errors.ts";
import { isBranchName } from "#shared/wire/git/branch-name.ts";
import { repositoryKey } from "#shared/wire/git/repository-key.ts";

/** The keys of the configuration that decide about branches. */
export type BranchRules = Pick<Config["git"]["workflow"], "auto_branch" | "branch_prefix" | "protect_main">;

export interface SessionRepo {
	readonly url: string;
	readonly branch: string;
	/** The folder below the workspace; empty: the workspace itself. */
	readonly path: string;
	/** The base of the session's own branch; empty: not named. */
	readonly base: string;
}

/**
 * Returns the repository that the caller names by its URL or folder; by default the session's own one.
 * @throws {BadRequestError} when the session has no such repository, or none at all.
 */
export function repoOf(session: Session, named: string | undefined): SessionRepo {
	const { source, repo, branch, repositories } = session;
	const listed = repositories ?? [{ url: repo, branch, path: "" }];
	const all = source.type === "git" ? listed.filter(({ url }) => url !== "") : [];
	const [own] = all;
	if (!own) throw new BadRequestError("The session has no repository", "SESSION_WITHOUT_REPOSITORY");
	const found = named === undefined ? own : all.find((one) => one.path === named || isSame(one.url, named));
	if (!found) {
		const names = all.map(({ path, url }) => `"${path || url}"`).join(", ");
		throw new BadRequestError(`The session has no such repository; it has ${names}`, "REPOSITORY_UNKNOWN");
	}
	const base = found === own ? (source.base_branch ?? "") : "";
	// An update of the session may have chosen another branch for its own repository.
	const { url, path } = found;
	return { url, path, branch: found === own && branch !== "" ? branch : found.branch, base };
}

function isSame(url: string, named: string): boolean {
	return repositoryKey(url) === repositoryKey(named);
}

/** The branch of the session's work, and the one into which it is to be merged. */
export interface Branches {
	readonly head: string;
	readonly base: string;
}

/**
 * Returns the branches. The head is the branch of the session; a session that works on the target, or on the main branch of the
 * repository, gets a branch of its own.
 * @param target The branch that the caller names; empty: the base of the session, or the main branch.
 * @throws {UnprocessableError} for a name that cannot be a branch's; {ConflictError} when the rules forbid the push.
 */
export function branchesOf(
	{ id, repo: { branch, base } }: { readonly id: string; readonly repo: SessionRepo },
	target: string,
	mainBranch: string,
	{ auto_branch, branch_prefix, protect_main }: BranchRules,
): Branches {
	const to = target || base || mainBranch;
	if (!isBranchName(to)) throw new UnprocessableError(`"${to}" cannot be the name of a branch`, "BRANCH_NAME");
	const head = branch || mainBranch;
	const isMain = head === mainBranch && protect_main;
	if (head !== to && !isMain) return { head, base: to };
	if (auto_branch) return { head: `${branch_prefix}/${id}`, base: to };
	const why = head === to ? "is the target of the pull request" : "is the main branch, which is protected";
	throw new ConflictError(
		`The session works on "${head}", which ${why}: choose another one, by PUT /sessions/{id} with "branch" and "base_branch"`,
		"BRANCH_PROTECTED",
	);
}
