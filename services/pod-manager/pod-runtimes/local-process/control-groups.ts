/**
 * A control group for each pod of this machine (cgroups(7), version 2): what is started in one stays in it whatever it
 * makes of its environment, and is killed with it. They are below the platform's own group, and no other one is touched.
 */
// oxlint-disable-next-line no-restricted-imports -- files of the kernel
import { constants, readFileSync } from "node:fs";
// oxlint-disable-next-line no-restricted-imports -- files of the kernel
import { access, mkdir, readdir, rmdir, writeFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import type { Launch } from "./launch.ts";
import type { PodMarks } from "./pod-marks.ts";

/** What cannot be kept where there are none. */
const shortcoming =
	"A process of a session that clears its environment outlives the session: no control groups (cgroup v2) can be made here";

export class ControlGroups {
	readonly #setting: string;
	readonly #marks: PodMarks;
	readonly #folder: string;
	readonly #path: RegExp;
	#root: Promise<string | undefined> | undefined;
	/** Names of the groups that are there, as far as this process knows. */
	readonly #names = new Set<string>();

	/**
	 * @param setting `auto`: below this process's own group, where that can be done; `none`; or the folder of a group.
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

	/** @param cgroup As `/proc/<pid>/cgroup` has it. */
	launchOf(cgroup: string): Launch | undefined {
		const name = this.#path.exec(cgroup)?.[1];
		return name === undefined ? undefined : this.#marks.parse(name);
	}

	/** In a sentence; undefined where there are groups. */
	async shortcoming(): Promise<string | undefined> {
		return (await this.#open()) === undefined ? shortcoming : undefined;
	}

	/** Puts a process into its pod's group, before it starts another one. Where that cannot be done it stays where it is. */
	async enter(pid: number, launch: Launch): Promise<void> {
		const root = await this.#open();
		if (root === undefined) return;
		const name = this.#marks.name(launch);
		this.#names.add(name);
		const enter = async () => {
			await mkdir(join(root, name), { recursive: true });
			await writeFile(join(root, name, "cgroup.procs"), String(pid));
		};
		// Another process may have removed the folder because it was empty.
		await enter()
			.catch(enter)
			.catch(() => this.#remove(root, name));
	}

	/** Kills everything in the group at once. */
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

	/** Removes what an earlier process has left empty, and knows the others. */
	async adopt(): Promise<void> {
		const root = await this.#open();
		if (root === undefined) return;
		const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
		for (const entry of entries.filter((one) => one.isDirectory())) {
			this.#names.add(entry.name);
			await this.#remove(root, entry.name);
		}
	}

	/** One in which a process lives stays. */
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

/** Name of the folder of all groups of an installation. */
export function groupsFolder(installation: string): string {
	return `atelier-${installation}`;
}

/** Removes a group with those that its processes made in it; false when something lives in it. */
export async function removeGroup(group: string): Promise<boolean> {
	const entries = await readdir(group, { withFileTypes: true }).catch(() => []);
	for (const entry of entries) if (entry.isDirectory()) await removeGroup(join(group, entry.name));
	return rmdir(group).then(
		() => true,
		(error: NodeJS.ErrnoException) => error.code === "ENOENT",
	);
}

/** Folder of the group this process is in; undefined where there is no version 2. */
export function ownGroup(): string | undefined {
	const path = /^0::(\/.*)$/m.exec(readText("/proc/self/cgroup"))?.[1];
	const mount = versionTwoMount();
	if (path === undefined || mount === undefined) return undefined;
	const base = mount.root === "/" ? "" : mount.root;
	return `${path}/`.startsWith(`${base}/`) && !path.startsWith("/..")
		? join(mount.point, path.slice(base.length))
		: undefined;
}

/** proc(5), `/proc/pid/mountinfo`: the root of the mount in its file system, and where it is mounted. */
function versionTwoMount(): { root: string; point: string } | undefined {
	const line = /^\S+ \S+ \S+ (\S+) (\S+) .*- cgroup2 /m.exec(readText("/proc/self/mountinfo"));
	const [, root, point] = line ?? [];
	return root === undefined || point === undefined ? undefined : { root, point };
}

/** Undefined where no group can be made, or none that can be killed as a whole (Linux 5.14). */
async function openRoot(base: string | undefined, folder: string): Promise<string | undefined> {
	if (base === undefined || base === "none") return undefined;
	const root = join(base, folder);
	try {
		// To move a process one must be allowed to write to the group above both.
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

/** It is not there, or not empty: then there is nothing to do. */
function ignored(): void {}
