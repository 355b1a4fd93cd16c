/**
 * The files of a workspace in which a coding agent keeps what it was permitted for ever. They are not the session's
 * work: a new one is in no diff and no pull request (docs/decisions/0097-permissions-of-an-agent-are-not-work.md).
 */
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import { isRepository } from "./diff/shadow-repository.ts";
import { ignorePaths } from "./ignored-paths.ts";
import { treesOfLaunch } from "./work-tree.ts";

/** Returns the paths, which count in each folder of the workspace, because agents look in the one they work in. */
export async function permissionFilesOf(agent: string): Promise<readonly string[]> {
	// The module is loaded here, while the clone runs.
	const { agentIds, readAgentRecord } = await import("#shared/wire/agents/agent-records.ts");
	return agentIds().includes(agent) ? readAgentRecord(agent).permission_files : [];
}

/** Returns the pathspecs with which `git add` leaves these files out. What the index has of them stays in it. */
export function withoutPermissionFiles(files: readonly string[]): string[] {
	return files.map((file) => `:(exclude,glob)**/${file}`);
}

/**
 * Lets the repositories of the launch ignore these files, so that the agent's own commits leave them out too. Folders of
 * the host stay as they are: their lists of ignored files are the person's.
 */
export async function ignorePermissionFiles(launch: LaunchDocument, files: readonly string[]): Promise<void> {
	if (files.length === 0 || (launch.mounts ?? []).length > 0) return;
	const patterns = files.map((file) => `**/${file}`);
	for (const { folder, isPlain } of treesOfLaunch(launch))
		if (!isPlain && (await isRepository(folder))) await ignorePaths(folder, patterns);
}
