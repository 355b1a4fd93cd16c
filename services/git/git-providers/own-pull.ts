/** Finds the pull request of two branches in a list. Pure. */
import type { NewPullRequest, PullRequest } from "../providers/git-provider.ts";

/**
 * Returns the pull request of these branches of the repository itself. The filters of servers are not trusted: one that
 * ignores them would make every pull request that of these branches, and a stranger's fork may have a branch of the same
 * name.
 */
export function ownPull(
	pulls: readonly PullRequest[],
	{ head, base }: Pick<NewPullRequest, "head" | "base">,
): PullRequest | undefined {
	return pulls.find((one) => !one.is_from_fork && one.source_branch === head && one.target_branch === base);
}
