/** Puts the evidence about a pull request together. Pure. */
import { NotFoundError, UnauthorizedError } from "#shared/base/errors.ts";
import type { PullEvidence, PullRequest } from "../providers/git-provider.ts";

export function pullEvidence(
	{ head_sha, target_branch, author, mergeable }: PullRequest,
	found: Pick<PullEvidence, "checks" | "reviews" | "files" | "more">,
): PullEvidence {
	return { head_sha, target_branch, author, mergeable, ...found };
}

/** Catches the refusal of evidence that a token may not see. */
export function unlessHidden(error: unknown): undefined {
	if (!(error instanceof UnauthorizedError) && !(error instanceof NotFoundError)) throw error;
}
