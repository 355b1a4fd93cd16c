/** Installs coding agents with npm, each into its own folder, which gets its final name only when it is complete. */
import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type InstallRecipe } from "#shared/wire/agents/agent-fields.ts";
import { agentRecordFolder } from "#shared/wire/agents/agent-records.ts";
import { type Installed, installedFile, readInstalled } from "#shared/wire/agents/installed-agent.ts";
import { every, monotonic } from "#shared/base/clock.ts";
import { folderMegabytes } from "../folder-size.ts";
import { lockDifferences } from "../lock-differences.ts";
import type { ProgressOutput } from "../progress-output.ts";
import { runNpm } from "../run-npm.ts";

/** An installation has failed; the message is a sentence for the person who installs. */
export class InstallError extends Error {
	override readonly name = "InstallError";
}

const lockName = "package-lock.json";
const progressMs = 2_000;
const maxSwaps = 5;

export class AgentInstaller {
	readonly #folder: string;
	readonly #output: ProgressOutput;
	readonly #ending = new AbortController();

	/** @param folder The folder with one folder per installed agent. */
	constructor(folder: string, output: ProgressOutput) {
		this.#folder = folder;
		this.#output = output;
	}

	installed(id: string): Installed | undefined {
		return readInstalled(join(this.#folder, id));
	}

	/** Aborts an installation under way and removes its files. */
	abort(): void {
		this.#ending.abort();
	}

	/** Installs an agent unless exactly this version is installed already. @throws {InstallError} */
	async install(id: string, recipe: InstallRecipe): Promise<void> {
		const lock = checksum(await readFile(join(agentRecordFolder, id, lockName)));
		const found = this.installed(id);
		if (found?.lock === lock && existsSync(join(this.#folder, id, recipe.entry))) {
			return this.#output.say(
				`${id} ${found.version} is installed already: ${found.size_mb} MB in ${join(this.#folder, id)}`,
			);
		}
		await mkdir(this.#folder, { recursive: true, mode: 0o700 });
		await this.#sweep();
		const { package: name, version, licence, size_mb } = recipe;
		this.#output.say(
			`Installing ${id} ${version} (npm package ${name}, ${licence}): about ${size_mb} MB in ${this.#folder}`,
		);
		const begun = monotonic();
		const made = this.#aside("new", id);
		try {
			const size = await this.#make(made, id, recipe);
			const installed: Installed = { package: name, version, lock, size_mb: size };
			await writeFile(join(made, installedFile), JSON.stringify(installed));
			await this.#swap(id, made);
			this.#output.say(`Installed ${id} ${version} in ${((monotonic() - begun) / 1_000).toFixed(1)} s: ${size} MB`);
		} finally {
			await rm(made, { recursive: true, force: true });
		}
	}

	/** Removes an agent. Running sessions with it continue until they need one of its files. @throws {InstallError} */
	async remove(id: string): Promise<void> {
		const folder = join(this.#folder, id);
		if (!existsSync(folder)) throw new InstallError(`The coding agent "${id}" is not installed`);
		const size = await folderMegabytes(folder);
		await this.#discard(folder, id);
		this.#output.say(`Removed ${id}: ${size} MB are free again`);
	}

	/** Makes the installation in a temporary folder; resolves to its size in megabytes. @throws {InstallError} */
	async #make(folder: string, id: string, { size_mb, entry, scripts }: InstallRecipe): Promise<number> {
		await mkdir(folder, { mode: 0o700 });
		for (const name of ["package.json", lockName])
			await copyFile(join(agentRecordFolder, id, name), join(folder, name));
		const ending = new AbortController();
		const progress = every(progressMs, () => void this.#showProgress(folder, size_mb, ending.signal));
		try {
			const failure = await runNpm(folder, { scripts, signal: this.#ending.signal });
			if (failure !== undefined) throw new InstallError(`Cannot install ${id}: ${failure}`);
		} finally {
			progress.cancel();
			ending.abort();
			this.#output.endProgress();
		}
		const wrong = lockDifferences(
			await lockAt(join(agentRecordFolder, id, lockName)),
			await lockAt(installedLock(folder)),
		);
		if (wrong.length > 0) throw new InstallError(`Cannot install ${id}: npm did not follow ${lockName}: ${wrong[0]}`);
		if (!existsSync(join(folder, entry))) throw new InstallError(`Cannot install ${id}: there is no "${entry}" in it`);
		return folderMegabytes(folder);
	}

	/** Shows the progress. @param ended Aborts when nothing more is to be shown. */
	async #showProgress(folder: string, expected: number, ended: AbortSignal): Promise<void> {
		// The folder is being changed and may be renamed at any moment.
		const size = await folderMegabytes(folder).catch(() => undefined);
		if (size === undefined || ended.aborted || this.#ending.signal.aborted) return;
		this.#output.progress(`  ${size} of about ${expected} MB`);
	}

	/** Gives the installation its final name. Of two that end at the same moment, the last one stays. */
	async #swap(id: string, made: string): Promise<void> {
		const folder = join(this.#folder, id);
		for (let round = 1; ; round++) {
			if (existsSync(folder)) await this.#discard(folder, id);
			try {
				return await rename(made, folder);
			} catch (error) {
				if (round === maxSwaps || !isTaken(error)) throw error;
			}
		}
	}

	/** Renames a folder away at once and then removes it. */
	async #discard(folder: string, id: string): Promise<void> {
		const old = this.#aside("old", id);
		await rename(folder, old).catch((error: NodeJS.ErrnoException) => {
			if (error.code !== "ENOENT") throw error;
		});
		await rm(old, { recursive: true, force: true });
	}

	/** Removes the folders of installations whose processes were killed. */
	async #sweep(): Promise<void> {
		for (const name of await readdir(this.#folder)) {
			const [, pid] = /^\.(?:new|old)-.*-(\d+)-\w{8}$/.exec(name) ?? [];
			if (pid !== undefined && !isAlive(Number(pid)))
				await rm(join(this.#folder, name), { recursive: true, force: true });
		}
	}

	#aside(what: "new" | "old", id: string): string {
		return join(this.#folder, `.${what}-${id}-${process.pid}-${randomUUID().slice(0, 8)}`);
	}
}

function checksum(content: Buffer): string {
	return createHash("sha256").update(content).digest("hex");
}

function installedLock(folder: string): string {
	return join(folder, "node_modules", ".package-lock.json");
}

async function lockAt(file: string): Promise<unknown> {
	return JSON.parse(await readFile(file, "utf8"));
}

function isTaken(error: unknown): boolean {
	const { code } = error as NodeJS.ErrnoException;
	return code === "ENOTEMPTY" || code === "EEXIST";
}

function isAlive(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === "EPERM";
	}
}
