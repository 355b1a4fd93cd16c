/** Resolves the origin of a workspace: the two request forms as one, with the template's defaults. Pure. */
import type { SessionCreate, SessionSource } from "#shared/contracts/sessions/session-resource.ts";
import { UnprocessableError } from "#shared/base/errors.ts";
import { isBranchName } from "#shared/wire/git/branch-name.ts";
import { readRepositoryUrl } from "#shared/wire/git/repository-url.ts";
import type { Template } from "#shared/contracts/templates.ts";

/** The repository and branch of a workspace. */
export interface GitSource extends SessionSource {
	type: "git";
	repo: string;
	/** Empty: the one that the HEAD of the remote names, until the clone has found that out. */
	branch: string;
	base_branch: string;
}

const noRepository = { url: "", branch: "" };
/** The branch of a workspace that begins without a repository. */
const firstBranch = "main";

/**
 * Returns the source. `source` has precedence over the flat members `repo` and `branch`; an empty repository is
 * replaced by the template's first one.
 * @param protocols The protocols with which repositories may be named.
 * @throws {UnprocessableError} for a repository or branch that cannot be used.
 */
export function resolveSource(
	request: SessionCreate,
	{ repos = [] }: { readonly repos?: Template["repos"] },
	protocols: readonly string[],
): GitSource {
	const asked = askedFor(request);
	const { url, branch: itsBranch } = (asked.repo === "" && repos[0]) || noRepository;
	const repo = asked.repo || url;
	const branch = asked.branch || itsBranch || (repo ? "" : firstBranch);
	refuseBadRef(branch);
	refuseBadRef(asked.base_branch);
	return { type: "git", repo: checkRepository(repo, protocols), branch, base_branch: asked.base_branch };
}

/** Returns the requested repository and branch; the structured form has precedence, and an empty text counts as absent. */
function askedFor({
	source,
	repo,
	branch,
}: SessionCreate): Required<Pick<GitSource, "repo" | "branch" | "base_branch">> {
	const asked = source ?? { repo, branch, base_branch: "" };
	return { repo: asked.repo ?? "", branch: asked.branch ?? "", base_branch: asked.base_branch ?? "" };
}

/** Returns the repository's URL in its normalised form. @throws {UnprocessableError} when it cannot be used. */
export function checkRepository(repo: string, protocols: readonly string[]): string {
	if (repo === "") return "";
	const read = readRepositoryUrl(repo, protocols);
	if ("refused" in read) throw new UnprocessableError(read.refused, "REPOSITORY_REFUSED");
	return repo;
}

/** Refuses a branch name that git does not allow; an empty one stands for no choice. @throws {UnprocessableError} */
export function refuseBadRef(ref: string): void {
	if (ref !== "" && !isBranchName(ref))
		throw new UnprocessableError(`"${ref}" cannot be the name of a branch`, "BRANCH_REFUSED");
}
