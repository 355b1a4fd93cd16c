/** Where a workspace comes from: the two request forms as one, with the template's defaults. Pure. */
import type { SessionCreate, SessionSource } from "#shared/contracts/session-resource.ts";
import type { Template } from "#shared/contracts/templates.ts";
import { UnprocessableError } from "#shared/errors.ts";
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
	const { source } = request;
	if (source?.type === "local_mount") {
		throw new UnprocessableError(
			"Local mounts are switched off on this server (features.local_mounts)",
			"LOCAL_MOUNTS_OFF",
		);
	}
	const first = template?.repos[0];
	const asked = source ? source.repo : request.repo;
	const repo = asked || first?.url || "";
	const branch = (source ? source.branch : request.branch) || (asked ? "" : first?.branch) || defaultBranch;
	const base = source?.base_branch ?? "";
	for (const ref of [branch, base]) if (ref !== "") refuseBadRef(ref);
	return { type: "git", repo: checkRepository(repo, protocols), branch, base_branch: base };
}

/** @throws {UnprocessableError} */
export function checkRepository(repo: string, protocols: readonly string[]): string {
	if (repo === "") return "";
	const read = readRepositoryUrl(repo, protocols);
	if ("refused" in read) throw new UnprocessableError(read.refused, "REPOSITORY_REFUSED");
	return repo;
}

/** The subset of git-check-ref-format that is safe as a command line argument. */
export function refuseBadRef(ref: string): void {
	const sane = /^(?![-/.])[\w./-]{1,200}$/.test(ref) && !/\.\.|\/\/|\/\.|\.lock(\/|$)|[./]$/.test(ref);
	if (!sane) throw new UnprocessableError(`"${ref}" cannot be the name of a branch`, "BRANCH_REFUSED");
}
