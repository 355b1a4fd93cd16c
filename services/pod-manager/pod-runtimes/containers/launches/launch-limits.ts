/** The limits of a session's container: what it asks for with `resource_config`, within what the operator allows. Pure. */
import { readResources } from "#shared/wire/pod/resource-limits.ts";
import { PodRefused } from "../../../pod-refused.ts";
import type { ContainerLimits } from "../container-request.ts";

/** The limits of a session that asks for none. */
interface SessionLimits extends ContainerLimits {
	/** The most bytes of its workspace, which the pod manager measures (disk/workspace-limits.ts). */
	readonly diskBytes: number;
}

/** The most that a session may ask for. */
type MaxLimits = Pick<SessionLimits, "memoryBytes" | "nanoCpus" | "diskBytes">;

/** The limits in the configuration. */
export interface LimitSettings {
	readonly limits: SessionLimits;
	readonly maxLimits: MaxLimits;
}

/** The amount that a member of `resource_config` asks for, beside the most that it may; both in the unit of the sentence. */
interface Asked {
	readonly member: "memory" | "cpu" | "disk";
	readonly argument: string;
	readonly unit: string;
	readonly wanted: number;
	readonly most: number;
}

const mib = 1_048_576;
const billion = 1e9;

/** @throws {PodRefused} when more is asked for than the operator allows. */
export function launchLimits(
	resources: Readonly<Record<string, unknown>>,
	{ limits, maxLimits }: LimitSettings,
): ContainerLimits {
	const { processors, memoryBytes = limits.memoryBytes, diskBytes = 0 } = readResources(resources).limits;
	const nanoCpus = processors === undefined ? limits.nanoCpus : Math.max(leastNanoCpus, processors * billion);
	const [memory, cpu] = [maxLimits.memoryBytes / mib, maxLimits.nanoCpus / billion];
	refuseMore({ member: "memory", argument: "max_memory_mb", unit: " MB", wanted: memoryBytes / mib, most: memory });
	refuseMore({ member: "cpu", argument: "max_processors", unit: "", wanted: nanoCpus / billion, most: cpu });
	const disk = { wanted: diskBytes / mib, most: maxLimits.diskBytes / mib };
	refuseMore({ member: "disk", argument: "max_disk_mb", unit: " MB", ...disk });
	const { processes } = limits;
	// Files in memory count as memory; each of the two folders gets half of it at most.
	const temporaryBytes = Math.min(limits.temporaryBytes, Math.floor(memoryBytes / 2));
	return { memoryBytes: Math.floor(memoryBytes), nanoCpus: Math.round(nanoCpus), processes, temporaryBytes };
}

/** An agent with less is slower than the deadlines of its start. */
const leastNanoCpus = 0.1 * billion;

function refuseMore({ member, argument, unit, wanted, most }: Asked): void {
	if (wanted <= most) return;
	const asked = `resource_config.${member} asks for ${Number(wanted.toFixed(3))}${unit}`;
	throw new PodRefused(
		"POD_FORBIDDEN",
		`${asked}, and a session may have ${most}${unit} (pods.runtime.kwargs.${argument})`,
	);
}
