/**
 * The folders of a launch whose agent is a process of this machine: a home, temporary files and secrets, beside the records
 * (run-folders.ts). The agent's commands can change all of this.
 */
import { createHash } from "node:crypto";
import { mkdir, rm, symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { UntrustedFolder } from "#shared/base/files/untrusted-folder.ts";
import { removeWhole } from "../machine/folder-entries.ts";
import type { Launch } from "../launches/launch.ts";
import { ifUnusable, type RunFolders, unlessTaken } from "../machine/run-folders.ts";

/** The names in the folder of a launch. The secrets are removed before the pod is forgotten. */
const names = { home: "home", secrets: "secrets", temporary: "tmp" } as const;
/** The folder of the links to the folders for temporary files. */
const temporaryLinks = ".tmp";

/** The folders of all launches of one installation. */
export class ProcessFolders {
	readonly #runs: RunFolders;

	constructor(runs: RunFolders) {
		this.#runs = runs;
	}

	path(launch: Launch, what: "home" | "secrets"): string {
		return join(this.#runs.path(launch), names[what]);
	}

	/**
	 * The folder for temporary files: a link to `tmp` in the folder of the launch. It has a short name because programs
	 * make their sockets there, whose paths have at most 107 bytes.
	 */
	temporary(launch: Launch): string {
		const folder = this.#runs.path(launch);
		const name = createHash("sha256").update(basename(folder)).digest("hex").slice(0, 12);
		return join(dirname(folder), temporaryLinks, name);
	}

	/** Creates the folder of a launch with those in it. @throws {UntrustedFileError} when its name is taken by something else. */
	async create(launch: Launch): Promise<void> {
		await this.#runs.create(launch);
		await using folder = await UntrustedFolder.open(this.#runs.path(launch));
		if (!folder) return;
		for (const name of [names.home, names.temporary])
			await mkdir(folder.path(name), { recursive: true, mode: 0o700 }).catch(unlessTaken);
		const link = this.temporary(launch);
		await mkdir(dirname(link), { recursive: true, mode: 0o700 });
		await symlink(join("..", basename(this.#runs.path(launch)), names.temporary), link).catch(unlessTaken);
	}

	/**
	 * Removes the secrets at once: the trash may be emptied much later. What the pod's programs have made so that it
	 * cannot be removed at once, such as folders that are too deep for a path, is left to the trash.
	 */
	async removeSecrets(launch: Launch): Promise<void> {
		await using folder = await UntrustedFolder.open(this.#runs.path(launch)).catch(ifUnusable(undefined));
		if (!folder) return;
		const secrets = folder.path(names.secrets);
		await removeWhole(secrets).catch(() => {});
	}

	async discard(launch: Launch): Promise<void> {
		await rm(this.temporary(launch), { recursive: true, force: true });
		await this.#runs.discard(launch);
	}
}
