/**
 * Puts folders of the host into the workspace: a link to one that may be changed, and a copy of one that may only be
 * read. Every folder is checked again at each launch.
 */
import { lstat, mkdir, readdir, readlink, rename, rm, rmdir, symlink, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { LocalMount } from "#shared/wire/pod/launch.ts";
import { realMount } from "#shared/wire/pod/local-mounts.ts";
import type { Environment } from "../io/environment.ts";
import { LaunchFailure } from "../io/launch-failure.ts";
import type { PodContext } from "../io/pod-context.ts";
import { runCommand } from "../io/run-command.ts";
import { isFreeOfLinks } from "./workspace-path.ts";

/** The time limit of one copy; the platform allows 300 s for a launch. */
const copyMs = 250_000;

export interface LocalFoldersDependencies extends Pick<PodContext, "launch" | "log" | "signal"> {
	readonly env: Environment;
}

/** @throws {LaunchFailure} that names the folder which cannot be used. */
export async function placeLocalFolders(dependencies: LocalFoldersDependencies): Promise<void> {
	const { workspace, mounts = [] } = dependencies.launch;
	const partial = `${workspace}.partial`;
	await rm(partial, { recursive: true, force: true });
	for (const mount of mounts) await place(mount, partial, dependencies);
	await rm(partial, { recursive: true, force: true });
}

async function place(mount: LocalMount, partial: string, dependencies: LocalFoldersDependencies): Promise<void> {
	const { launch, log } = dependencies;
	const { allowed_prefixes = [], refused = [] } = launch.mount_rules ?? {};
	const real = await realMount(mount.host_path, { allowed_prefixes, refused }, mount.read_only);
	if ("refused" in real) throw failure(real.refused);
	const target = await placeOf(mount, launch.workspace);
	if (mount.read_only) await copyOnce(real.folder, target, partial, dependencies);
	else await link(real.folder, target);
	const how = mount.read_only ? "was copied" : "is used";
	log.add("INFO", "session-agent", `The folder "${mount.host_path}" ${how} as "${mount.path || "."}"`);
}

/** Returns the place of the folder, whose parent it makes. @throws {LaunchFailure} */
async function placeOf({ path }: LocalMount, workspace: string): Promise<string> {
	if (path === "") return workspace;
	if (!(await isFreeOfLinks(workspace, dirname(path))))
		throw failure(`The folder "${path}" of the workspace is behind a link`);
	const target = join(workspace, path);
	await mkdir(dirname(target), { recursive: true });
	return target;
}

/** An existing link is made again, because its folder was checked under its present name only. */
async function link(folder: string, target: string): Promise<void> {
	const found = await lstat(target).catch(() => undefined);
	if (found?.isSymbolicLink() && (await readlink(target)) === folder) return;
	if (found?.isSymbolicLink()) await unlink(target);
	else if (found) await removeEmpty(target);
	await symlink(folder, target);
}

/** The copy is made beside the workspace, so that half of it is never taken for the whole. */
async function copyOnce(
	folder: string,
	target: string,
	partial: string,
	{ env, launch, signal }: LocalFoldersDependencies,
): Promise<void> {
	const found = await lstat(target).catch(() => undefined);
	if (found?.isSymbolicLink()) throw failure(`The workspace has a link in the place of a copy: "${target}"`);
	if (found && (await readdir(target)).length > 0) return;
	await mkdir(partial, { recursive: true, mode: 0o700 });
	const copy = join(partial, "copy");
	const args = ["-a", "--reflink=auto", "--", folder, copy];
	const { code, words } = await runCommand("cp", args, { cwd: launch.home, env, timeoutMs: copyMs, signal });
	if (code !== 0) throw failure(`Cannot copy "${folder}": ${words.at(-1)?.slice(0, 300) ?? `cp ended with ${code}`}`);
	if (found) await removeEmpty(target);
	await rename(copy, target);
}

async function removeEmpty(folder: string): Promise<void> {
	await rmdir(folder).catch((cause: unknown) => {
		throw new LaunchFailure("MOUNT_FAILED", `Files are in the place of a local folder: "${folder}"`, { cause });
	});
}

function failure(sentence: string): LaunchFailure {
	return new LaunchFailure("MOUNT_FAILED", sentence);
}
