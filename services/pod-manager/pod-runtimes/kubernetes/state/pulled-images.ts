/** Says which image a machine pulls for a pod, and since when: it may take minutes. Pure. */
import type { PodFailure } from "#shared/wire/pod/status.ts";
import type { ClusterEvent } from "./circumstances.ts";
import { inClusterWords } from "./cluster-words.ts";

/** The events of a kubelet about images. The first one begins a pull, and each of the others ends it. */
const imageEvents: ReadonlySet<string> = new Set(["Pulling", "Pulled", "Failed", "BackOff"]);

/** Returns what people read while an image is pulled; undefined when none is. @param events The newest first. */
export function pullingReason(events: readonly ClusterEvent[]): PodFailure | undefined {
	const newest = events.find(({ reason }) => imageEvents.has(reason));
	if (newest?.reason !== "Pulling") return undefined;
	const [, image = ""] = /^Pulling image "([^"]{1,512})"/.exec(newest.message) ?? [];
	const since = newest.at === undefined ? "" : `, since ${newest.at}`;
	return inClusterWords("IMAGE_PULLING", `"${image}"${since}`);
}
