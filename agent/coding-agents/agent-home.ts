/** Makes the home of a coding agent ready: folders, those that outlive the pod among them, and its configuration files. */
import { mkdir, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { replaceFile } from "#shared/files/replaced-file.ts";
import type { AgentRecord } from "./agent-record.ts";

/**
 * Safe to repeat.
 * @param home Ends with the pod. @param kept The agent's own folder in the session's state.
 */
export async function prepareAgentHome(
	{ folders, keeps, files }: Pick<AgentRecord, "folders" | "keeps" | "files">,
	home: string,
	kept: string,
): Promise<void> {
	for (const path of folders) await mkdir(join(home, path), { recursive: true, mode: 0o700 });
	for (const path of keeps) await keep(join(home, path), join(kept, path));
	for (const { path, text } of files) {
		const file = join(home, path);
		await mkdir(dirname(file), { recursive: true, mode: 0o700 });
		// The agent may have made a folder of it.
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
