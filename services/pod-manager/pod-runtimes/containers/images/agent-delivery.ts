/** Keeps the session agent for images of others in a folder of this machine, which is made once for each version. */
import { createHash, randomBytes } from "node:crypto";
// oxlint-disable-next-line no-restricted-imports -- the folder is the platform's own, and gets its final name when it is whole
import { chmod, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { now } from "#shared/base/clock.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { agentProgram } from "#shared/wire/agents/agent-program.ts";
import { deliveredLayout, makeDeliveredAgent, ownLibraries } from "#shared/wire/agents/delivered-agent.ts";

/** The age of a folder before it is removed, in milliseconds. */
const minAgeMs = 3_600_000;

/** The folders of one installation. */
export class AgentDelivery {
	readonly #folder: string;
	readonly #user: number;
	readonly #closing = new AbortController();
	#prepared: Promise<string> | undefined;

	/** @param folder The folder of all versions, which only the platform can write. @param user The user and group of sessions. */
	constructor(folder: string, user: number) {
		this.#folder = folder;
		this.#user = user;
	}

	/** Resolves when nothing is being copied any more; it takes a second or two at most, and leaves nothing unfinished. */
	async close(): Promise<void> {
		this.#closing.abort();
		await this.#prepared?.catch(() => {});
	}

	/** Returns the folder of this version, which is made if need be. @throws {Error} when it cannot be made, or this is closed. */
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
		const folder = join(this.#folder, await versionOf([process.execPath, ...ownLibraries()], this.#user));
		if (await isThere(folder)) return folder;
		const unfinished = `${folder}.${randomBytes(8).toString("hex")}`;
		try {
			await makeDeliveredAgent(unfinished, this.#user, this.#closing.signal);
			await chmod(unfinished, 0o755);
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

/** Names a version after everything that is copied, which is paths, sizes and times, and after the user. */
async function versionOf(programs: readonly string[], user: number): Promise<string> {
	const hash = createHash("sha256").update(`${deliveredLayout} ${user}\0`);
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
