/**
 * Manages a control group for each pod of this machine (cgroups(7), version 2). Processes started in a group stay in it
 * whatever they do to their environment, and are killed with it. The groups are below the platform's own one; no others
 * are touched.
 */
// oxlint-disable-next-line no-restricted-imports -- files of the kernel
import { constants, readFileSync } from "node:fs";
// oxlint-disable-next-line no-restricted-imports -- files of the kernel
import { access, mkdir, readdir, rmdir, writeFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import type { Launch } from "../launches/launch.ts";
import type { PodMarks } from "./pod-marks.ts";

const shortcoming =
	"A process of a session that clears its environment outlives the session: no control groups (cgroup v2) can be made here; sessions work without them (docs/troubleshooting.md)";

/** The groups of one installation below one group of the machine. */
export class ControlGroups {
	readonly #setting: string;
	readonly #marks: PodMarks;
	readonly #folder: string;
	readonly #path: RegExp;
	#root: Promise<string | undefined> | undefined;
	/** The names of the existing groups that this process knows. */
	readonly #names = new Set<string>();

	/**
	 * @param setting `auto`: below this process's own group, if that is possible; `none`; or the folder of a group.
	 * @throws {RangeError}
	 */
	constructor(setting: string, marks: PodMarks) {
		if (setting !== "auto" && setting !== "none" && !isAbsolute(setting)) {
			throw new RangeError(
				`Cannot make control groups in "${setting}": "auto", "none" or an absolute path can be said`,
			);
		}
		this.#setting = setting;
		this.#marks = marks;
		this.#folder = groupsFolder(marks.installation);
		this.#path = new RegExp(`^0::.*/${this.#folder}/([^/\\n]+)(?:/.*)?$`, "m");
	}

	/** Returns the launch whose group a process is in. @param cgroup The content of `/proc/<pid>/cgroup`. */
	launchOf(cgroup: string): Launch | undefined {
		const name = this.#path.exec(cgroup)?.[1];
		return name === undefined ? undefined : this.#marks.parse(name);
	}

	/** Returns a sentence when there are no groups; undefined otherwise. */
	async shortcoming(): Promise<string | undefined> {
		return (await this.#open()) === undefined ? shortcoming : undefined;
	}

	/** Moves a process into its pod's group before it starts others. When that is impossible, it stays where it is. */
	async enter(pid: number, launch: Launch): Promise<void> {
		const root = await this.#open();
		if (root === undefined) return;
		const name = this.#marks.name(launch);
		this.#names.add(name);
		const enter = async () => {
			await mkdir(join(root, name), { recursive: true });
			await writeFile(join(root, name, "cgroup.procs"), String(pid));
		};
		// Another process may have removed the folder while it was empty.
		await enter()
			.catch(enter)
			.catch(() => this.#remove(root, name));
	}

	/** Kills all processes in the group at once. */
	async kill(launch: Launch): Promise<void> {
		const root = await this.#open();
		const name = this.#marks.name(launch);
		if (root !== undefined) await writeFile(join(root, name, "cgroup.kill"), "1").catch(ignored);
	}

	/** Removes the group of a pod that is gone. */
	async leave(launch: Launch): Promise<void> {
		const root = await this.#open();
		const name = this.#marks.name(launch);
		if (root !== undefined && this.#names.has(name)) await this.#remove(root, name);
	}

	/** Removes empty groups of an earlier process, and remembers the others. */
	async adopt(): Promise<void> {
		const root = await this.#open();
		if (root === undefined) return;
		const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
		for (const entry of entries.filter((one) => one.isDirectory())) {
			this.#names.add(entry.name);
			await this.#remove(root, entry.name);
		}
	}

	/** Removes a group unless a process lives in it. */
	async #remove(root: string, name: string): Promise<void> {
		if (!(await removeGroup(join(root, name)))) return;
		this.#names.delete(name);
		if (this.#names.size === 0) await rmdir(root).catch(ignored);
	}

	#open(): Promise<string | undefined> {
		this.#root ??= openRoot(this.#setting === "auto" ? ownGroup() : this.#setting, this.#folder);
		return this.#root;
	}
}

export function groupsFolder(installation: string): string {
	return `atelier-${installation}`;
}

/** Removes a group with those that its processes made in it; false when a process lives in it. */
export async function removeGroup(group: string): Promise<boolean> {
	const entries = await readdir(group, { withFileTypes: true }).catch(() => []);
	for (const entry of entries) if (entry.isDirectory()) await removeGroup(join(group, entry.name));
	return rmdir(group).then(
		() => true,
		(error: NodeJS.ErrnoException) => error.code === "ENOENT",
	);
}

/** Returns the folder of this process's own group; undefined without version 2. */
export function ownGroup(): string | undefined {
	const path = /^0::(\/.*)$/m.exec(readText("/proc/self/cgroup"))?.[1];
	const mount = versionTwoMount();
	if (path === undefined || mount === undefined) return undefined;
	const base = mount.root === "/" ? "" : mount.root;
	return `${path}/`.startsWith(`${base}/`) && !path.startsWith("/..")
		? join(mount.point, path.slice(base.length))
		: undefined;
}

/** Reads from `/proc/pid/mountinfo` (proc(5)) the root of the mount in its file system, and the mount point. */
function versionTwoMount(): { root: string; point: string } | undefined {
	const line = /^\S+ \S+ \S+ (\S+) (\S+) .*- cgroup2 /m.exec(readText("/proc/self/mountinfo"));
	const [, root, point] = line ?? [];
	return root === undefined || point === undefined ? undefined : { root, point };
}

/** Returns the folder for groups; undefined where none can be made, or none that can be killed as a whole (Linux 5.14). */
async function openRoot(base: string | undefined, folder: string): Promise<string | undefined> {
	if (base === undefined || base === "none") return undefined;
	const root = join(base, folder);
	try {
		// Moving a process requires write access to the group above both groups.
		await access(join(base, "cgroup.procs"), constants.W_OK);
		await mkdir(root, { recursive: true });
		await access(join(root, "cgroup.kill"), constants.W_OK);
		return root;
	} catch {
		return undefined;
	} finally {
		await rmdir(root).catch(ignored);
	}
}

function readText(path: string): string {
	try {
		return readFileSync(path, "utf8");
	} catch {
		return "";
	}
}

/** Ignores that a group does not exist or is not empty. */
function ignored(): void {}
