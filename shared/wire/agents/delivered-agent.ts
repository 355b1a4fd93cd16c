/**
 * The session agent as images of others get it, which need no Node.js: a folder with the program, the Node.js of this process and
 * the libraries that it has loaded, and the names of users. A runtime gives it to the session read-only, at the place that the image of
 * sessions has for it.
 */
// oxlint-disable-next-line no-restricted-imports -- the folder is the platform's own, or that of a pod before its session
import { chmod, copyFile, mkdir, readdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { copyAgentProgram } from "./agent-program.ts";

/** The folder inside of containers. */
export const deliveredPlace = "/opt/atelier";
/**
 * The files of an image in whose place such a container gets others: programs that ask for the name of their user, as ssh, git
 * and whoami do, would fail where the image does not know it. They lie below the folder, at the same path.
 */
export const namingFiles = ["/etc/passwd", "/etc/group"] as const;
/** The first program of such a container; the agent's arguments follow. An image without `sh` cannot start it. */
export const deliveredEntrypoint = ["/bin/sh", `${deliveredPlace}/agent/enter-image.sh`];

/** A change of what this module writes has another number. */
export const deliveredLayout = 2;

const preload = "own-path.cjs";

/**
 * Copies everything into a folder that is not there or empty, and whose own mode stays. @param user The user and group of sessions.
 * @param signal It is asked before each step. @throws {Error} also when it aborts, which leaves a part of the folder.
 */
export async function makeDeliveredAgent(folder: string, user: number, signal?: AbortSignal): Promise<void> {
	signal?.throwIfAborted();
	await copyAgentProgram(projectRoot, folder);
	signal?.throwIfAborted();
	await copyNode(folder, ownLibraries());
	await writeNames(folder, user);
	await openTree(folder);
}

/** Returns the paths of the libraries that this process has loaded, with the loader. */
export function ownLibraries(): string[] {
	const { sharedObjects } = process.report.getReport() as { sharedObjects: string[] };
	return sharedObjects.filter((path) => path.startsWith("/"));
}

/**
 * Copies Node with its libraries. The loader is started by its name, because the image may have another one, or none. Node would
 * take the loader for its own program then, which it says to programs that start another Node, so it is told the truth.
 */
async function copyNode(folder: string, libraries: readonly string[]): Promise<void> {
	await mkdir(join(folder, "lib"), { recursive: true });
	await mkdir(join(folder, "bin"));
	for (const path of [process.execPath, ...libraries]) await copyFile(path, join(folder, "lib", nameIn(path)));
	const loader = libraries.map((path) => basename(path)).find((name) => /^ld[-.]/.test(name));
	if (loader === undefined) throw new Error("Cannot find the loader of this Node.js, which other images need");
	const lib = `${deliveredPlace}/lib`;
	// The loader of musl knows no cache.
	const options = loader.startsWith("ld-musl") ? "" : " --inhibit-cache";
	const start = `exec ${lib}/${loader}${options} --library-path ${lib} ${lib}/node --require ${lib}/${preload} "$@"`;
	await writeFile(join(folder, "bin/node"), `#!/bin/sh\n${start}\n`, { mode: 0o755 });
	await writeFile(join(folder, "lib", preload), `process.execPath = "${deliveredPlace}/bin/node";\n`);
}

/** Writes the names of the user and of root, whose files are most of an image. */
async function writeNames(folder: string, user: number): Promise<void> {
	await mkdir(join(folder, "etc"));
	const person = `agent:x:${user}:${user}::/home/agent:/bin/sh`;
	await writeFile(join(folder, "etc/passwd"), `root:x:0:0:root:/root:/bin/sh\n${person}\n`);
	await writeFile(join(folder, "etc/group"), `root:x:0:\nagent:x:${user}:\n`);
}

function nameIn(path: string): string {
	return path === process.execPath ? "node" : basename(path);
}

/** Lets the users of containers read everything in a folder, whatever the platform's own mask is. */
async function openTree(folder: string): Promise<void> {
	for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
		const isProgram = entry.isDirectory() || ["lib", "bin"].includes(basename(entry.parentPath));
		await chmod(join(entry.parentPath, entry.name), isProgram ? 0o755 : 0o644);
	}
}
