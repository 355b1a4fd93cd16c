/**
 * Reads `resource_config`, the resources that a session asks for, as the limits that a pod without a cluster can set.
 * Pure.
 * @example
 * ```ts
 * readResources({ cpu: "500m", memory: "2Gi" }).limits; // { processors: 1, memoryBytes: 2_147_483_648 }
 * ```
 */

/** The limits of a session's coding agent and its commands; absent: no limit. */
export interface ResourceLimits {
	/** The number of processors on which they run, at least 1. */
	readonly processors?: number;
	/** The memory that each of their processes may allocate. */
	readonly memoryBytes?: number;
}

export interface ReadResources {
	readonly limits: ResourceLimits;
	readonly warnings: readonly string[];
}

/** A coding agent does not start with less. */
const minMemory = 256 * 1_048_576;
const maxProcessors = 4_096;

const cpuForm = /^(\d+(?:\.\d+)?)(m?)$/;
const memoryForm = /^(\d+(?:\.\d+)?)(Ki|Mi|Gi|Ti|K|k|M|G|T)?$/;
const units: Readonly<Record<string, number>> = {
	Ki: 2 ** 10,
	Mi: 2 ** 20,
	Gi: 2 ** 30,
	Ti: 2 ** 40,
	K: 1e3,
	k: 1e3,
	M: 1e6,
	G: 1e9,
	T: 1e12,
};

/** Members that are meaningful with a GPU only. */
const ofGpu = ["gpu_type", "gpu_timeslice"];
/** The most members that warnings name. */
const maxNamed = 10;

type Warn = (member: string, sentence: string) => undefined;

/** Returns the limits. Nothing is refused, because the same settings may have an effect elsewhere. */
export function readResources({ cpu, memory, ...others }: Readonly<Record<string, unknown>>): ReadResources {
	const warnings: string[] = [];
	const warn: Warn = (member, sentence) => {
		warnings.push(`resource_config.${member}: ${sentence}`);
	};
	const processors = isGiven(cpu) ? (readProcessors(cpu) ?? warn("cpu", notRead(cpu, '"2" or "500m"'))) : undefined;
	const memoryBytes = isGiven(memory) ? usableMemory(memory, warn) : undefined;
	warnOfOthers(others, warn);
	return {
		limits: { ...(processors !== undefined && { processors }), ...(memoryBytes !== undefined && { memoryBytes }) },
		warnings,
	};
}

function usableMemory(memory: unknown, warn: Warn): number | undefined {
	const bytes = readMemory(memory);
	if (bytes === undefined) return warn("memory", notRead(memory, '"4Gi"'));
	if (bytes >= minMemory) return bytes;
	warn("memory", "an agent does not start with less than 256Mi, which it gets instead");
	return minMemory;
}

function warnOfOthers({ gpu, ...others }: Readonly<Record<string, unknown>>, warn: Warn): void {
	if (isGiven(gpu) && String(gpu) !== "0") warn("gpu", "sessions of this runtime have no GPU of their own");
	const unknown = Object.keys(others).filter((name) => !ofGpu.includes(name));
	for (const name of unknown.slice(0, maxNamed)) warn(name.slice(0, 60), "it is not known, and has no effect");
}

function isGiven(value: unknown): boolean {
	return value !== undefined && value !== null && value !== "";
}

/** A part of a processor counts as a whole one. */
function readProcessors(value: unknown): number | undefined {
	const [, amount, milli] = cpuForm.exec(textOf(value)) ?? [];
	if (amount === undefined) return undefined;
	const count = Math.ceil(milli === "m" ? Number(amount) / 1_000 : Number(amount));
	return count >= 1 && count <= maxProcessors ? count : undefined;
}

/** A number without a unit is in Gi. */
function readMemory(value: unknown): number | undefined {
	const [, amount, unit = "Gi"] = memoryForm.exec(textOf(value)) ?? [];
	const bytes = Math.floor(Number(amount) * (units[unit] ?? 0));
	return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : undefined;
}

function textOf(value: unknown): string {
	return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function notRead(value: unknown, example: string): string {
	return `"${textOf(value).slice(0, 40)}" cannot be read, and has no effect; an example is ${example}`;
}
