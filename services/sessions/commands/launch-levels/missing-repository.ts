/**
 * Refuses a session that would begin without a repository because the request misspells where one stands. A request for a workspace
 * without a repository is right: it says nothing of a repository, or names an empty one. Pure.
 */
import type { SessionCreate } from "#shared/contracts/sessions/session-resource.ts";
import { UnprocessableError } from "#shared/base/errors.ts";

/** A sentence of the gateway about a member within the source, or about one that is similar to a member with a repository. */
const aboutRepository = /^Unknown member "source\.|did you mean "(source|repo)"\?$/;

/**
 * @param repo The repository that the session gets, from whatever level. @param told The sentences about ignored members.
 * @throws {UnprocessableError} that repeats the sentence.
 */
export function refuseMissingRepository(
	{ source, repo: flat }: Pick<SessionCreate, "source" | "repo">,
	repo: string,
	told: readonly string[] = [],
): void {
	if (repo !== "" || source?.repo !== undefined || flat !== undefined) return;
	const sentence = told.find((one) => aboutRepository.test(one));
	if (sentence === undefined) return;
	throw new UnprocessableError(
		`The session would have no repository: ${sentence.replace(/\?$/, "")}. Name the repository in "source.repo", or send an empty one for a workspace without`,
		"REPOSITORY_MISSING",
	);
}
