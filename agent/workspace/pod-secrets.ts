/**
 * Writes the secrets of a launch where the programs of the pod find them. All of them are in one folder, which the
 * runtime removes before it forgets the pod; files of the home folder are links into it.
 */
import { symlink } from "node:fs/promises";
import { join, posix } from "node:path";
import type { PodSecrets, SecretFile } from "#shared/contracts/credentials/pod-secrets.ts";
import { createFile } from "#shared/files/replaced-file.ts";
import { UntrustedFileError } from "#shared/files/untrusted-file.ts";
import { madeFolder, type UntrustedFolder } from "#shared/files/untrusted-folder.ts";
import { environmentFile } from "#shared/pod/environment-file.ts";
import { isSettable } from "#shared/pod/variable-name.ts";
import { isSecretPath } from "#shared/pod/secret-target.ts";
import { secretsFolder } from "../io/environment.ts";
import type { PodContext } from "../io/pod-context.ts";
import { credentialFile } from "./git-credentials.ts";

/** The files in the folder of the secrets. */
const names = { environment: "env.sh", git: credentialFile, files: "files" } as const;

/** The secrets of one launch. */
export class PlacedSecrets {
	readonly #context: PodContext;
	#placed: PromiseWithResolvers<void> = Promise.withResolvers();

	constructor(context: PodContext) {
		this.#context = context;
		if (!context.launch.secrets) this.#placed.resolve();
	}

	/** Resolves when the secrets are there, or could not be written, which the log says. */
	get placed(): Promise<void> {
		return this.#placed.promise;
	}

	/**
	 * Writes them. It is called when the platform can see that this pod exists, because only then it removes them. A
	 * secret that cannot be written is a warning in the log, and the session goes on without it.
	 */
	async place(): Promise<void> {
		const { secrets } = this.#context.launch;
		if (!secrets) return;
		for (const sentence of secrets.warnings) this.#warn(sentence);
		await this.#write(secrets).catch((error: unknown) => this.#warn(`the secrets cannot be written: ${said(error)}`));
		this.#placed.resolve();
	}

	async #write({ variables, files, git_credentials }: PodSecrets): Promise<void> {
		await using folder = await madeFolder(secretsFolder(this.#context.launch));
		const settable = Object.entries(variables).filter(([name, value]) => isSettable(name, value));
		await create(folder, names.environment, environmentFile(Object.fromEntries(settable)));
		if (git_credentials.length > 0) await create(folder, names.git, git_credentials.map((url) => `${url}\n`).join(""));
		for (const [index, file] of files.entries())
			await this.#writeFile(file, index).catch((error: unknown) =>
				this.#warn(`the file "${file.path}" of a credential cannot be written: ${said(error)}`),
			);
	}

	async #writeFile({ root, path, content }: SecretFile, index: number): Promise<void> {
		if (!isSecretPath(root, path)) throw new UntrustedFileError("it is not a place for a secret");
		const { launch } = this.#context;
		const own = secretsFolder(launch);
		const base = root === "home" ? launch.home : own;
		await using folder = await folderBelow(base, posix.dirname(path));
		const name = posix.basename(path);
		if (root === "secrets") return create(folder, name, content);
		await using kept = await folderBelow(own, names.files);
		await create(kept, String(index), content);
		await symlink(join(own, names.files, String(index)), folder.path(name));
	}

	#warn(sentence: string): void {
		this.#context.log.add("WARNING", "session-agent", `Credentials: ${sentence}`);
	}
}

/** Creates a file that only this user can read. @throws {UntrustedFileError} when there is something of that name. */
async function create(folder: UntrustedFolder, name: string, content: string): Promise<void> {
	if (!(await createFile(folder.path(name), content))) throw new UntrustedFileError(`"${name}" exists already`);
}

/** Opens a folder below another one and makes what is missing. No link is followed on the way. */
async function folderBelow(base: string, path: string): Promise<UntrustedFolder> {
	let folder = await madeFolder(base);
	for (const part of path.split("/").filter((name) => name !== ".")) {
		await using above = folder;
		folder = await madeFolder(above.path(part));
	}
	return folder;
}

function said(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
