/** Reads what a runtime for one machine has, with the troubles of its folders. */
import type { Inventory } from "../../pod-runtime.ts";
import type { RunFolders } from "./run-folders.ts";
import type { SessionFolders } from "./session-folders.ts";

/** Returns what is at the runtime, with the troubles of its two folders. */
export async function inventoryOf(
	pods: { all(): Promise<Pick<Inventory, "pods" | "unfinished">> },
	runs: RunFolders,
	sessions: SessionFolders,
): Promise<Inventory> {
	const [found, workspaces] = await Promise.all([pods.all(), sessions.list()]);
	const troubles = [runs.trash.trouble, sessions.trash.trouble].filter((trouble) => trouble !== undefined);
	return { ...found, workspaces, troubles };
}
