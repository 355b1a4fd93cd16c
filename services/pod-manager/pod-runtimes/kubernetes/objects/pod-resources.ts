/** The resources of a session's pod: what it asks for with `resource_config`, within what the operator allows. Pure. */
import { gpuForm, readResources } from "#shared/wire/pod/resource-limits.ts";
import { PodRefused } from "../../../pod-refused.ts";
import type { ClusterLimits } from "../kubernetes-options.ts";
import type { PodResources } from "./pod-manifest.ts";

const mib = 1_048_576;
/** A label's value (Kubernetes, "Labels and Selectors"). */
const labelForm = /^[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/;

/** @throws {PodRefused} when more is asked for than the operator allows. */
export function podResources(asked: Readonly<Record<string, unknown>>, limits: ClusterLimits): PodResources {
	const { memoryBytes, processors, diskBytes } = readResources(asked).limits;
	const gpus = gpusOf(asked["gpu"], limits.maxGpus);
	const type = asked["gpu_type"];
	return {
		memoryBytes: within({ member: "memory", argument: "max_memory_mb", unit: mib }, memoryBytes, limits.memoryBytes),
		processors: within({ member: "cpu", argument: "max_processors", unit: 1 }, processors, limits.processors),
		diskBytes: within({ member: "disk", argument: "max_disk_mb", unit: mib }, diskBytes, limits.diskBytes),
		processorShare: limits.processorShare,
		gpus,
		...(gpus > 0 && typeof type === "string" && labelForm.test(type) && { gpuType: type }),
	};
}

/** A member of `resource_config`, the argument with the most that it may, and the amount that both count, such as a MB. */
interface Member {
	readonly member: string;
	readonly argument: string;
	readonly unit: number;
}

function within(
	{ member, argument, unit }: Member,
	wanted: number | undefined,
	[usual, most]: readonly [number, number],
): number {
	const amount = wanted ?? usual;
	if (amount <= most) return amount;
	const shown = (value: number) => `${Number((value / unit).toFixed(3))}${unit === 1 ? "" : " MB"}`;
	throw forbidden(`resource_config.${member} asks for ${shown(amount)}`, shown(most), argument);
}

function gpusOf(asked: unknown, most: number): number {
	const text = typeof asked === "string" || typeof asked === "number" ? String(asked) : "0";
	const gpus = gpuForm.test(text) ? Number(text) : 0;
	if (gpus <= most) return gpus;
	throw forbidden(`resource_config.gpu asks for ${gpus}`, String(most), "max_gpus");
}

function forbidden(asked: string, most: string, argument: string): PodRefused {
	const words = `${asked}, and a session may have ${most} (pods.runtime.kwargs.${argument})`;
	return new PodRefused("POD_FORBIDDEN", words);
}
