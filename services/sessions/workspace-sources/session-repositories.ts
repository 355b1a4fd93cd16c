/** Lays out the repositories of a new session: its own one, and those that its template adds. Pure. */
import type { Template } from "#shared/contracts/templates.ts";
import { UnprocessableError } from "#shared/base/errors.ts";
import type { Repository } from "#shared/wire/pod/launch.ts";
import { maxRepositories, repositoryName, repositoryPath } from "#shared/wire/pod/repository-path.ts";
import { checkRepository, type GitSource, refuseBadRef } from "./session-source.ts";

/**
 * Returns the repositories. The session's own one takes the place of the template's first one, which is the workspace
 * itself unless it has a folder. The others have a folder each: the one that is written, or the name of the repository.
 * @throws {UnprocessableError} for a repository, branch or folder that cannot be used.
 */
export function sessionRepositories(
	{ repo, branch, base_branch }: GitSource,
	repos: Template["repos"],
	protocols: readonly string[],
): Repository[] {
	const [first, ...further] = repos;
	const own = { url: repo, branch, base_branch, path: first?.path ?? "" };
	const others = further.map(({ url, branch: written, path }) => {
		refuseBadRef(written);
		const folder = path || (repositoryName(url) ?? "");
		return { url: checkRepository(url, protocols), branch: written, base_branch: "", path: folder };
	});
	return placed([own, ...others]);
}

function placed(repositories: readonly Repository[]): Repository[] {
	if (repositories.length > maxRepositories)
		throw refused(`The template has more than ${maxRepositories} repositories`);
	const taken = new Set<string>();
	return repositories.map((repository) => {
		const path = repositoryPath(repository.path);
		if (path === undefined)
			throw refused(
				`"${repository.path}" cannot be the folder of a repository; it has to be a path below the workspace, of letters, digits and "._-"`,
			);
		if (taken.has(path)) throw refused(`Two repositories of the template have the same folder "${path || "."}"`);
		taken.add(path);
		return { ...repository, path };
	});
}

function refused(sentence: string): UnprocessableError {
	return new UnprocessableError(sentence, "REPOSITORY_REFUSED");
}
