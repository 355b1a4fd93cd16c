/** Writes the branches that the HEADs of the remotes name into a session that was created without them. Pure. */
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { Observation } from "#shared/contracts/sessions/session-work.ts";
import type { LaunchSettings, Repository } from "#shared/wire/pod/launch.ts";
import type { SessionChange, SessionRecord } from "../record/session-change.ts";

/**
 * Returns the change of the repositories without a branch; undefined when there is none. What the session names,
 * perhaps by an update since the launch, stays.
 */
export function branchChange(
	{ session, document }: SessionRecord,
	{ branches = [] }: Pick<Observation, "branches">,
): Pick<SessionChange, "members" | "columns"> | undefined {
	const launch = document.launch as LaunchSettings | undefined;
	const found = new Map(branches.map(({ path, branch }) => [path, branch]));
	const isNew = ({ branch, path }: Pick<Repository, "branch" | "path">): boolean => branch === "" && found.has(path);
	if (!launch?.repositories.some(isNew)) return undefined;
	const named = <T extends Pick<Repository, "branch" | "path">>(repository: T): T =>
		isNew(repository) ? { ...repository, branch: found.get(repository.path) ?? "" } : repository;
	const repositories = launch.repositories.map(named);
	const [own] = repositories;
	const isOwn = session.branch === "" && own !== undefined && own.branch !== "";
	return {
		members: {
			repositories: session.repositories.map(named),
			...(isOwn && { branch: own.branch, source: withBranch(session.source, own.branch) }),
		},
		columns: { set: { launch: { ...launch, repositories } } },
	};
}

function withBranch(source: Session["source"], branch: string): Session["source"] {
	return source.type === "git" ? { ...source, branch } : source;
}
