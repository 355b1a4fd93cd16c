/**
 * Reads `resource_config`, the resources that a session asks for, as the limits that a pod without a cluster can set.
 * Pure.
 * @example
 * ```ts
 * readResources({ cpu: "500m", memory: "2Gi" }).limits; // { processors: 0.5, memoryBytes: 2_147_483_648 }
 * ```
 */

import { byteUnits } from "#shared/base/byte-units.ts";

/** The resources that a session asks for; absent: it does not say. */
export interface ResourceLimits {
	/** Processors, in thousandths at the finest. */
	readonly processors?: number;
	/** The memory; of a container, or of each process where there is none. */
	readonly memoryBytes?: number;
	/** The size of the workspace with all other files of the session. */
	readonly diskBytes?: number;
}

export interface ReadResources {
	readonly limits: ResourceLimits;
	readonly warnings: readonly string[];
}

/** A coding agent does not start with less. */
const minMemory = 256 * 1_048_576;
/** A workspace with less has no room for a repository. */
const minDisk = 64 * 1_048_576;
const maxProcessors = 4_096;

const cpuForm = /^(\d+(?:\.\d+)?)(m?)$/;
/** People also write a large K. */
const memoryForm = /^(\d+(?:\.\d+)?)(Ki|Mi|Gi|Ti|K|k|M|G|T)?$/;

/** A GPU cannot be shared, so that only whole ones are asked for. */
export const gpuForm = /^\d{1,2}$/;
/** Members that are meaningful with a GPU only. */
const ofGpu = ["gpu_type", "gpu_timeslice"];
/** The most members that warnings name. */
const maxNamed = 10;

type Warn = (member: string, sentence: string) => undefined;

/** Returns the limits. Nothing is refused, because the same settings may have an effect elsewhere. */
export function readResources({ cpu, memory, disk, ...others }: Readonly<Record<string, unknown>>): ReadResources {
	const warnings: string[] = [];
	const warn: Warn = (member, sentence) => {
		warnings.push(`resource_config.${member}: ${sentence}`);
	};
	const processors = isGiven(cpu) ? (readProcessors(cpu) ?? warn("cpu", notRead(cpu, '"2" or "500m"'))) : undefined;
	const memoryBytes = isGiven(memory) ? usableBytes("memory", memory, warn) : undefined;
	const diskBytes = isGiven(disk) ? usableBytes("disk", disk, warn) : undefined;
	warnOfOthers(others, warn);
	return {
		limits: {
			...(processors !== undefined && { processors }),
			...(memoryBytes !== undefined && { memoryBytes }),
			...(diskBytes !== undefined && { diskBytes }),
		},
		warnings,
	};
}

const least = {
	memory: { bytes: minMemory, sentence: "an agent does not start with less than 256Mi, which it gets instead" },
	disk: { bytes: minDisk, sentence: "a workspace may have 64Mi at least, which it gets instead" },
} as const;

function usableBytes(member: keyof typeof least, value: unknown, warn: Warn): number | undefined {
	const read = readBytes(value);
	if (read === undefined) return warn(member, notRead(value, '"4Gi"'));
	const { bytes, sentence } = least[member];
	if (read >= bytes) return read;
	warn(member, sentence);
	return bytes;
}

function warnOfOthers({ gpu, ...others }: Readonly<Record<string, unknown>>, warn: Warn): void {
	if (isGiven(gpu) && !gpuForm.test(textOf(gpu))) warn("gpu", notRead(gpu, '"1"'));
	else if (isGiven(gpu) && Number(gpu) > 0) warn("gpu", "only sessions in a cluster have a GPU of their own");
	const unknown = Object.keys(others).filter((name) => !ofGpu.includes(name));
	for (const name of unknown.slice(0, maxNamed)) warn(name.slice(0, 60), "it is not known, and has no effect");
}

function isGiven(value: unknown): boolean {
	return value !== undefined && value !== null && value !== "";
}

function readProcessors(value: unknown): number | undefined {
	const [, amount, milli] = cpuForm.exec(textOf(value)) ?? [];
	if (amount === undefined) return undefined;
	const thousandths = Math.ceil(milli === "m" ? Number(amount) : Number(amount) * 1_000);
	return thousandths >= 1 && thousandths <= maxProcessors * 1_000 ? thousandths / 1_000 : undefined;
}

/** A number without a unit is in Gi. */
function readBytes(value: unknown): number | undefined {
	const [, amount, unit = "Gi"] = memoryForm.exec(textOf(value)) ?? [];
	const bytes = Math.floor(Number(amount) * (byteUnits[unit] ?? 0));
	return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : undefined;
}

function textOf(value: unknown): string {
	return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function notRead(value: unknown, example: string): string {
	return `"${textOf(value).slice(0, 40)}" cannot be read, and has no effect; an example is ${example}`;
}
