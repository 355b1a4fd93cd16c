/**
 * Writes the secrets of a launch where the programs of the pod find them. All of them are in one folder, which the
 * runtime removes before it forgets the pod; files of the home folder are links into it.
 */
import { symlink } from "node:fs/promises";
import { join, posix } from "node:path";
import { FairQueue } from "#shared/base/concurrency/fair-queue.ts";
import type { PodSecrets, SecretFile } from "#shared/contracts/credentials/pod-secrets.ts";
import { createFile, replaceFile } from "#shared/base/files/replaced-file.ts";
import { UntrustedFileError } from "#shared/base/files/untrusted-file.ts";
import { madeFolder, type UntrustedFolder } from "#shared/base/files/untrusted-folder.ts";
import { environmentFile } from "#shared/wire/pod/environment-file.ts";
import { isSettable } from "#shared/wire/pod/variable-name.ts";
import { isSecretPath } from "#shared/wire/pod/secret-target.ts";
import { secretsFolder } from "../io/environment.ts";
import { secretTexts } from "../io/secret-texts.ts";
import type { PodContext } from "../io/pod-context.ts";
import { credentialFile, hasCredentialFor } from "./git-credentials.ts";

const names = { environment: "env.sh", git: credentialFile, files: "files" } as const;

export class PlacedSecrets {
	readonly #context: PodContext;
	#placed: PromiseWithResolvers<void> = Promise.withResolvers();
	/** The places that the launch filled; the index names the file of one in the home folder. */
	readonly #places = new Map<string, number>();
	readonly #replacements = new FairQueue();

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

	/**
	 * Replaces the values of the launch by newer ones: each file at once or not at all. Programs that run keep their
	 * variables. What the launch did not have stays out, because the person did not give it to this launch; variables and
	 * git credentials that are gone are removed. Resolves to false when the launch has no secrets.
	 */
	async replace(secrets: PodSecrets): Promise<boolean> {
		if (!this.#context.launch.secrets) return false;
		await this.#replacements.run("", () => this.#replace(secrets));
		return true;
	}

	async #replace({ files, ...newer }: PodSecrets): Promise<void> {
		await this.placed;
		const { launch } = this.#context;
		const had = launch.secrets ?? newer;
		const variables = Object.fromEntries(
			Object.entries(newer.variables).filter(([name]) => Object.hasOwn(had.variables, name)),
		);
		const git_credentials = newer.git_credentials.filter((url) => hasCredentialFor(launch, url));
		for (const text of secretTexts({ variables, files, git_credentials })) this.#context.log.hide(text);
		await using folder = await madeFolder(secretsFolder(launch));
		await replaceFile(folder.path(names.environment), environmentFile(settableIn(variables)));
		if (had.git_credentials.length > 0) await replaceFile(folder.path(names.git), linesOf(git_credentials));
		for (const file of files)
			await this.#replaceFile(file).catch((error: unknown) =>
				this.#warn(`the file "${file.path}" of a credential cannot be replaced: ${said(error)}`),
			);
	}

	/** A file in the home folder is a link to the one that is replaced, also if an agent has put something else there. */
	async #replaceFile({ root, path, content }: SecretFile): Promise<void> {
		const index = this.#places.get(placeOf({ root, path }));
		if (index === undefined) return;
		const own = secretsFolder(this.#context.launch);
		await using folder = await folderBelow(own, root === "home" ? names.files : posix.dirname(path));
		await replaceFile(folder.path(root === "home" ? String(index) : posix.basename(path)), content);
	}

	async #write({ variables, files, git_credentials }: PodSecrets): Promise<void> {
		await using folder = await madeFolder(secretsFolder(this.#context.launch));
		await create(folder, names.environment, environmentFile(settableIn(variables)));
		if (git_credentials.length > 0) await create(folder, names.git, linesOf(git_credentials));
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
		if (root === "secrets") await create(folder, name, content);
		else {
			await using kept = await folderBelow(own, names.files);
			await create(kept, String(index), content);
			await symlink(join(own, names.files, String(index)), folder.path(name));
		}
		this.#places.set(placeOf({ root, path }), index);
	}

	#warn(sentence: string): void {
		this.#context.log.add("WARNING", "session-agent", `Credentials: ${sentence}`);
	}
}

function placeOf({ root, path }: Pick<SecretFile, "root" | "path">): string {
	return `${root} ${path}`;
}

function settableIn(variables: PodSecrets["variables"]): Record<string, string> {
	return Object.fromEntries(Object.entries(variables).filter(([name, value]) => isSettable(name, value)));
}

function linesOf(urls: readonly string[]): string {
	return urls.map((url) => `${url}\n`).join("");
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
