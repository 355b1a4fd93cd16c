/** Prepares the home folder of a coding agent: links to folders that outlive the pod, and configuration files. */
import { mkdir, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { replaceFile } from "#shared/base/files/replaced-file.ts";
import type { AgentRecord } from "./agent-record.ts";

/**
 * Prepares the folder; it may be called again.
 * @param home The home folder, which is removed with the pod. @param persistent The agent's own folder in the session's
 * state.
 */
export async function prepareAgentHome(
	{ keeps, files }: Pick<AgentRecord, "keeps" | "files">,
	home: string,
	persistent: string,
): Promise<void> {
	for (const path of keeps) await keep(join(home, path), join(persistent, path));
	for (const { path, text } of files) {
		const file = join(home, path);
		await mkdir(dirname(file), { recursive: true, mode: 0o700 });
		// The agent may have replaced the file by a folder.
		await rm(file, { recursive: true, force: true });
		await replaceFile(file, text);
	}
}

async function keep(folder: string, target: string): Promise<void> {
	await mkdir(target, { recursive: true, mode: 0o700 });
	await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
	await symlink(target, folder).catch((error: NodeJS.ErrnoException) => {
		if (error.code !== "EEXIST") throw error;
	});
}
