/** The paths of GitLab's API, and how its lists go on. Pure. */
import type { IncomingHttpHeaders } from "node:http";
import type { RepositoryPlace } from "../../providers/git-provider.ts";

/** Returns the path of a project, which is named by its whole path instead of its number. */
export function projectPath({ owner, name }: RepositoryPlace): string {
	return `/projects/${encodeURIComponent(`${owner}/${name}`)}`;
}

export function requestPath(at: RepositoryPlace, iid: number): string {
	return `${projectPath(at)}/merge_requests/${iid}`;
}

/** Returns the number of the next page; the header is empty after the last one. */
export function nextPage(headers: IncomingHttpHeaders): number | undefined {
	const text = headers["x-next-page"];
	return typeof text === "string" && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
