/** Ends all processes in the control groups of one installation's pods, and removes the groups. */
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
	groupsFolder,
	ownGroup,
	removeGroup,
} from "#services/pod-manager/pod-runtimes/local-process/control-groups.ts";
import { eventually } from "../eventually.ts";

/** Returns the folder of an installation's groups below this process's own group; undefined where none are possible. */
export function groupsOf(installation: string): string | undefined {
	const own = ownGroup();
	return own === undefined ? undefined : join(own, groupsFolder(installation));
}

/** Returns the names of the existing groups. */
export function groupNames(installation: string): string[] {
	const root = groupsOf(installation);
	if (root === undefined || !existsSync(root)) return [];
	return readdirSync(root, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? entry.name : []));
}

export async function removeGroups(installation: string): Promise<void> {
	const root = groupsOf(installation);
	if (root === undefined || !existsSync(root)) return;
	writeFileSync(join(root, "cgroup.kill"), "1");
	await eventually(() => removeGroup(root), { what: `${root} is empty` });
}
