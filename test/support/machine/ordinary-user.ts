/** Runs code as a user for whom the modes of files count, also where the tests run as root. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";

/** The user id of `nobody`. */
export const nobody = 65_534;
export const isRoot = process.geteuid?.() === 0;

/** Whether code of this project can run as that user: by root only, and where every user may go into the folders above the project. */
export function canBecomeUser(): boolean {
	return isRoot && foldersTo(projectRoot).every((folder) => (statSync(folder).mode & 0o001) !== 0);
}

function foldersTo(path: string): string[] {
	return path === dirname(path) ? [path] : [path, ...foldersTo(dirname(path))];
}

/** Makes a folder for temporary files into which every user can go. */
export function folderForAll(name: string): string {
	return mkdtempSync(join((statSync(tmpdir()).mode & 0o001) === 0 ? "/tmp" : tmpdir(), `atelier-${name}-`));
}

/** Gives a folder with everything in it to the ordinary user. */
export function giveAway(folder: string): void {
	if (isRoot) execFileSync("chown", ["-R", `${nobody}:${nobody}`, folder]);
}

/**
 * Runs the text of a module and returns what it prints, or the message of its error; undefined where that user may not read the
 * project. @param folder The argument of the module: `process.argv[1]`.
 */
export function printedAsUser(text: string, folder: string): string | undefined {
	const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", text, folder], {
		cwd: projectRoot,
		env: {},
		encoding: "utf8",
		timeout: 20_000,
		...(isRoot && { uid: nobody, gid: nobody }),
	});
	if (status === null || /ERR_MODULE_NOT_FOUND|Cannot find module/.test(stderr)) return undefined;
	return stdout + stderr;
}
