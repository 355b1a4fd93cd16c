/** Where a workspace comes from: the two request forms as one, with the template's defaults. Pure. */
import type { SessionCreate, SessionSource } from "#shared/contracts/session-resource.ts";
import type { Template } from "#shared/contracts/templates.ts";
import { UnprocessableError } from "#shared/errors.ts";
import { isBranchName } from "#shared/git/branch-name.ts";
import { readRepositoryUrl } from "#shared/git/repository-url.ts";

export interface GitSource extends SessionSource {
	type: "git";
	repo: string;
	branch: string;
	base_branch: string;
}

const defaultBranch = "main";

/**
 * `source` wins over the flat `repo` and `branch`; an empty repository takes the template's first one.
 * @param protocols Protocols a repository may be named with.
 * @throws {UnprocessableError} for a local mount and for a repository or branch that cannot be used.
 */
export function resolveSource(
	request: SessionCreate,
	template: Template | undefined,
	protocols: readonly string[],
): GitSource {
	refuseLocalMount(request);
	const asked = askedFor(request);
	const { url = "", branch: itsBranch = "" } = (asked.repo === "" && template?.repos[0]) || {};
	const repo = asked.repo || url;
	const branch = asked.branch || itsBranch || defaultBranch;
	refuseBadRef(branch);
	if (asked.base_branch !== "") refuseBadRef(asked.base_branch);
	return { type: "git", repo: checkRepository(repo, protocols), branch, base_branch: asked.base_branch };
}

/** The structured form wins; empty text stands for what was left out. */
function askedFor({
	source,
	repo,
	branch,
}: SessionCreate): Required<Pick<GitSource, "repo" | "branch" | "base_branch">> {
	const asked = source ?? { repo, branch, base_branch: "" };
	return { repo: asked.repo ?? "", branch: asked.branch ?? "", base_branch: asked.base_branch ?? "" };
}

/** @throws {UnprocessableError} */
function refuseLocalMount({ source }: SessionCreate): void {
	if (source?.type !== "local_mount") return;
	throw new UnprocessableError(
		"Local mounts are switched off on this server (features.local_mounts)",
		"LOCAL_MOUNTS_OFF",
	);
}

/** @throws {UnprocessableError} */
export function checkRepository(repo: string, protocols: readonly string[]): string {
	if (repo === "") return "";
	const read = readRepositoryUrl(repo, protocols);
	if ("refused" in read) throw new UnprocessableError(read.refused, "REPOSITORY_REFUSED");
	return repo;
}

/** @throws {UnprocessableError} */
export function refuseBadRef(ref: string): void {
	if (!isBranchName(ref)) throw new UnprocessableError(`"${ref}" cannot be the name of a branch`, "BRANCH_REFUSED");
}
