/** The paths of GitHub's API, which Gitea's has too. Pure. */
import type { RepositoryPlace } from "../providers/git-provider.ts";

export function repositoryPath({ owner, name }: RepositoryPlace): string {
	return `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
}

export function pullPath(at: RepositoryPlace, number: number): string {
	return `${repositoryPath(at)}/pulls/${number}`;
}
