/** Makes the source and the launch of a session that continues in a workspace. Pure. */
import type { SessionCreate, SessionSource } from "#shared/contracts/sessions/session-resource.ts";
import { UnprocessableError } from "#shared/base/errors.ts";
import { repositoryKey } from "#shared/wire/git/repository-key.ts";
import type { LaunchSettings } from "#shared/wire/pod/launch.ts";
import type { WorkspaceSource } from "../../workspaces/workspace-changes.ts";
import type { MergedRequest } from "./merged-request.ts";

/**
 * Returns what the source of the session is resolved from: the workspace alone, because its files stay as they are,
 * whatever blueprints say.
 * @throws {UnprocessableError} when the request names another repository or branch, or folders.
 */
export function continuedRequest(
	request: SessionCreate,
	{ source }: WorkspaceSource,
): Pick<MergedRequest, "request" | "level"> {
	const asked = request.source ?? request;
	const { repo = "", branch = "" } = source;
	if (request.source?.type === "local_mount") throw other("source of another type", source);
	if (asked.repo && repositoryKey(asked.repo) !== repositoryKey(repo))
		throw other(`repository "${asked.repo}"`, source);
	if (asked.branch && asked.branch !== branch) throw other(`branch "${asked.branch}"`, source);
	return { request: { ...request, source }, level: {} };
}

/** Returns the launch settings with the repositories that the workspace has. */
export function continuedLaunch(launch: LaunchSettings, { repositories }: WorkspaceSource): LaunchSettings {
	return repositories.length === 0 ? launch : { ...launch, repositories: [...repositories] };
}

function other(asked: string, { repo = "", branch = "" }: SessionSource): UnprocessableError {
	const own = repo === "" ? "no repository" : `"${repo}" at ${branch === "" ? "its default branch" : `"${branch}"`}`;
	return new UnprocessableError(
		`The workspace has ${own}, and the request names the ${asked}: leave that out`,
		"WORKSPACE_SOURCE",
	);
}
