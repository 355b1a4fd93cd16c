/**
 * Reads what the installation has in the cluster, each kind of objects on its own: others there can write so much into one kind that its list
 * fails, and the other kinds are looked after all the same.
 */
import type { Inventory } from "../../pod-runtime.ts";
import { unfinishedOf } from "../launches/launched-pods.ts";
import type { ClusterPods } from "./cluster-pods.ts";
import type { SessionObjects } from "./objects/session-objects.ts";
import type { VolumeSizes } from "./objects/volume-sizes.ts";
import type { WatchedPods } from "./watched-pods.ts";

export interface ListedParts {
	readonly objects: Pick<SessionObjects, "launches" | "volumeClaims">;
	readonly pods: Pick<ClusterPods, "all">;
	readonly watched: Pick<WatchedPods, "trouble">;
	readonly sizes: Pick<VolumeSizes, "take">;
}

/** @throws {Error} when the pods cannot be listed: without them, every account would be one that a pod has left behind. */
export async function clusterInventory({ objects, pods, watched, sizes }: ListedParts): Promise<Inventory> {
	const troubles: string[] = [];
	const listed = <T>(kind: string, list: Promise<T>): Promise<T | undefined> =>
		list.catch((error: unknown) => {
			troubles.push(
				`The ${kind} of sessions cannot be listed: ${error instanceof Error ? error.message : String(error)}`,
			);
			return undefined;
		});
	const [found, launches = [], claimed] = await Promise.all([
		listed("pods", pods.all()),
		listed("accounts", objects.launches()),
		listed("volume claims", objects.volumeClaims()),
	]);
	if (claimed) sizes.take(claimed.claims);
	if (!found) throw new Error(troubles.join("; "));
	const [tooLarge] = claimed?.leftOut ?? [];
	if (tooLarge !== undefined)
		troubles.push(`One of the volume claims of sessions, "${tooLarge}", is too large to be read`);
	if (watched.trouble !== undefined) troubles.push(watched.trouble);
	const workspaces = claimed?.claims.map(({ workspaceId }) => workspaceId);
	return { pods: found, unfinished: unfinishedOf(launches, found), workspaces, troubles };
}
