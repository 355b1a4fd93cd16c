/**
 * Brings the session agent into images that others have made, which need no Node.js: a folder of this machine with the program,
 * this Node.js and the libraries that it has loaded, which containers get read-only. It is made once for each version.
 */
import { createHash, randomBytes } from "node:crypto";
// oxlint-disable-next-line no-restricted-imports -- the folder is the platform's own, and gets its final name when it is whole
import { chmod, copyFile, mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { now } from "#shared/base/clock.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { agentProgram, copyAgentProgram } from "#shared/wire/agents/agent-program.ts";

/** The folder inside of containers. */
export const deliveredPlace = "/opt/atelier";
/**
 * The files of an image in whose place such a container gets others: programs that ask for the name of their user, as ssh, git
 * and whoami do, would fail where the image does not know it. They lie below the folder, at the same path.
 */
export const namingFiles = ["/etc/passwd", "/etc/group"] as const;
/** The first program of such a container; the agent's arguments follow. An image without `sh` cannot start it. */
export const deliveredEntrypoint = ["/bin/sh", `${deliveredPlace}/agent/enter-image.sh`];

const preload = "own-path.cjs";
/** A change of what this module writes has another number. */
const layout = 2;
/** The age of a folder before it is removed, in milliseconds. */
const minAgeMs = 3_600_000;

/** The folders of one installation. */
export class AgentDelivery {
	readonly #folder: string;
	readonly #user: number;
	#prepared: Promise<string> | undefined;

	/** @param folder The folder of all versions, which only the platform can write. @param user The user and group of sessions. */
	constructor(folder: string, user: number) {
		this.#folder = folder;
		this.#user = user;
	}

	/** Returns the folder of this version, which is made if need be. @throws {Error} when it cannot be made. */
	async prepare(): Promise<string> {
		this.#prepared ??= this.#make().catch((error: unknown) => {
			this.#prepared = undefined;
			throw error;
		});
		const folder = await this.#prepared;
		if (await isThere(folder)) return folder;
		// A process of another release has removed it.
		this.#prepared = undefined;
		return this.prepare();
	}

	/**
	 * Removes the folders of other versions, and those that a process has left unfinished, when they are old enough that no process
	 * works on them.
	 * @param inUse The folders that containers have.
	 */
	async removeOthers(inUse: ReadonlySet<string>): Promise<void> {
		const own = await this.prepare();
		for (const name of await readdir(this.#folder)) {
			const folder = join(this.#folder, name);
			if (folder === own || inUse.has(folder)) continue;
			const { mtimeMs } = await stat(folder);
			if (now() - mtimeMs > minAgeMs) await rm(folder, { recursive: true, force: true });
		}
	}

	async #make(): Promise<string> {
		const libraries = ownLibraries();
		const folder = join(this.#folder, await versionOf([process.execPath, ...libraries], this.#user));
		if (await isThere(folder)) return folder;
		const unfinished = `${folder}.${randomBytes(8).toString("hex")}`;
		try {
			await copyAgentProgram(projectRoot, unfinished);
			await copyNode(unfinished, libraries);
			await writeNames(unfinished, this.#user);
			await openTree(unfinished);
			await rename(unfinished, folder).catch(async (error: unknown) => {
				// Another process may have been faster.
				if (!(await isThere(folder))) throw error;
			});
		} finally {
			await rm(unfinished, { recursive: true, force: true });
		}
		return folder;
	}
}

async function isThere(folder: string): Promise<boolean> {
	return (await stat(folder).catch(() => undefined)) !== undefined;
}

/** Returns the paths of the libraries that this process has loaded, with the loader. */
function ownLibraries(): string[] {
	const { sharedObjects } = process.report.getReport() as { sharedObjects: string[] };
	return sharedObjects.filter((path) => path.startsWith("/"));
}

/** Names a version after everything that is copied, which is paths, sizes and times, and after the user. */
async function versionOf(programs: readonly string[], user: number): Promise<string> {
	const hash = createHash("sha256").update(`${layout} ${user}\0`);
	const add = async (path: string): Promise<void> => {
		const { size, mtimeMs } = await stat(path);
		hash.update(`${path}\0${size}\0${mtimeMs}\0`);
	};
	for (const path of programs) await add(path);
	for (const path of await agentProgram(projectRoot)) {
		const whole = join(projectRoot, path);
		await add(whole);
		if (!(await stat(whole)).isDirectory()) continue;
		for (const entry of (await readdir(whole, { recursive: true })).sort()) await add(join(whole, entry));
	}
	return hash.digest("hex").slice(0, 32);
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

/** Lets the users of containers read everything, whatever the platform's own mask is. */
async function openTree(folder: string): Promise<void> {
	await chmod(folder, 0o755);
	for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
		const isProgram = entry.isDirectory() || ["lib", "bin"].includes(basename(entry.parentPath));
		await chmod(join(entry.parentPath, entry.name), isProgram ? 0o755 : 0o644);
	}
}
