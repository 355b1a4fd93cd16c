/** Ends what is in the control groups of one installation's pods, and removes them. */
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
	groupsFolder,
	ownGroup,
	removeGroup,
} from "#services/pod-manager/pod-runtimes/local-process/control-groups.ts";
import { eventually } from "../eventually.ts";

/** Where the groups of an installation are, below this process's own one; undefined where none can be. */
export function groupsOf(installation: string): string | undefined {
	const own = ownGroup();
	return own === undefined ? undefined : join(own, groupsFolder(installation));
}

/** Names of the groups that are there. */
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
