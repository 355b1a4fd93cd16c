/** Finds pull requests in a list, by their branches and by their status. Pure. */
import type { NewPullRequest, PullRequest, PullState } from "../providers/git-provider.ts";

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

export function pullsWith(status: PullState | "all", pulls: PullRequest[]): PullRequest[] {
	return status === "all" ? pulls : pulls.filter((pull) => pull.status === status);
}
