/**
 * Compares what an engine was asked for with what a container got. An engine may ignore a limit and say nothing: rootless Podman
 * on control groups v1 does. Pure.
 */
import { compileSchema } from "#shared/base/schema/validator.ts";
import { type Output, schema } from "#shared/base/schema/schema.ts";
import type { ContainerLimits } from "../container-request.ts";

/** The command of the probe: what the kernel says of a process of a session, of its file systems and its networks. */
export const probeCommand = ["cat", "/proc/self/status", "/proc/self/mounts", "/proc/net/dev"];

/** The confinement that was asked for. */
export interface AskedFor {
	readonly user: number;
	readonly limits: ContainerLimits;
}

/** A protection that the engine does not give. */
export interface Difference {
	/** The name of the protection for people. */
	readonly what: string;
	readonly asked: string;
	readonly got: string;
}

const number = { type: "number", nullable: true, optional: true } as const;
const probed = schema({
	HostConfig: {
		type: "object",
		props: {
			Memory: number,
			MemorySwap: number,
			NanoCpus: number,
			CpuQuota: number,
			CpuPeriod: number,
			PidsLimit: number,
		},
	},
});
type Probed = Output<typeof probed>;
const check = compileSchema(probed);
/** The mode of seccomp(2) in which a filter decides. */
const filtered = "2";
/** The words of an interface in `/proc/net/dev`: its name and sixteen counters. */
const wordsOfInterface = 17;
const noCapability = "0000000000000000";

/** @param inspected The engine's description of the probe. @param output What {@link probeCommand} has written. */
export function differences(asked: AskedFor, inspected: unknown, output: string): Difference[] {
	const described = isProbed(inspected) ? inspected : { HostConfig: {} };
	return [...limitsOf(asked, described), ...insideOf(asked, output)]
		.filter(([, wanted, got]) => wanted !== got)
		.map(([what, wanted, got]) => ({ what, asked: wanted, got }));
}

type Row = readonly [what: string, asked: string, got: string];

function limitsOf({ limits }: AskedFor, { HostConfig: host }: Probed): Row[] {
	const { Memory, MemorySwap, PidsLimit } = host;
	return [
		["the limit of memory", bytes(limits.memoryBytes), bytes(Memory)],
		["no swap beside the memory", bytes(limits.memoryBytes), bytes(MemorySwap)],
		["the limit of processors", `${limits.nanoCpus / 1e9}`, processors(host)],
		["the limit of processes", `${limits.processes}`, `${PidsLimit ?? 0}`],
	];
}

function insideOf({ user, limits }: AskedFor, output: string): Row[] {
	const own = String(user);
	return [
		["the user of sessions", own, fieldOf(output, "Uid")],
		["the group of sessions", own, fieldOf(output, "Gid")],
		["no capabilities", noCapability, fieldOf(output, "CapEff")],
		["no capabilities for programs that are started", noCapability, fieldOf(output, "CapBnd")],
		["no new privileges", "1", fieldOf(output, "NoNewPrivs")],
		["the filter of system calls (seccomp)", filtered, fieldOf(output, "Seccomp")],
		["a read-only root", "ro", accessOf(output, "/")],
		["a bounded folder for temporary files", `${limits.temporaryBytes / 1_024}k`, sizeOf(output, "/tmp")],
		["no network", "lo", interfacesIn(output)],
	];
}

function bytes(count: number | null | undefined): string {
	return count ? `${count} bytes` : "none";
}

/** Podman tells processors as a share of a period. */
function processors({ NanoCpus, CpuQuota, CpuPeriod }: Probed["HostConfig"]): string {
	if (NanoCpus) return String(NanoCpus / 1e9);
	return CpuQuota && CpuPeriod ? String(CpuQuota / CpuPeriod) : "none";
}

/** Returns the first value of a field of `/proc/self/status`. */
function fieldOf(output: string, name: string): string {
	return new RegExp(`^${name}:\\s+(\\S+)`, "m").exec(output)?.[1] ?? "unknown";
}

/** Returns the options of the last file system that is mounted at a path. */
function optionsOf(output: string, path: string): string[] {
	const found = output.split("\n").findLast((line) => line.split(" ")[1] === path && line.split(" ").length === 6);
	return found?.split(" ")[3]?.split(",") ?? [];
}

function accessOf(output: string, path: string): string {
	return optionsOf(output, path)[0] ?? "unknown";
}

function sizeOf(output: string, path: string): string {
	return (
		optionsOf(output, path)
			.find((option) => option.startsWith("size="))
			?.slice("size=".length) ?? "none"
	);
}

/** Returns the names of the network interfaces, of which each has a line such as `    lo:  1296      16 …`. */
function interfacesIn(output: string): string {
	const lines = output.split("\n").map((line) => line.trim().split(/\s+/));
	const names = lines.filter(({ length, 0: name }) => length === wordsOfInterface && name?.endsWith(":"));
	return names.map(([name = ""]) => name.slice(0, -1)).join(", ") || "unknown";
}

function isProbed(inspected: unknown): inspected is Probed {
	return inspected instanceof Object && check(inspected).length === 0;
}
