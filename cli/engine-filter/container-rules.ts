/**
 * The containers that a platform may create through the filter. The engine reads names of members without regard to case, and the
 * last of two equal ones, so the request is written again from what was understood.
 */
import { realpathSync, statSync } from "node:fs";
import { relative } from "node:path";
import {
	boolean,
	integer,
	type Json,
	listOf,
	objectOf,
	oneOf,
	only,
	recordOf,
	refuse,
	type Rule,
	type Rules,
	text,
	textThat,
} from "./json-rules.ts";

/** The platform for which the filter works. */
export interface FilteredPlatform {
	/** The value of the label `atelier.installation` of its containers. */
	readonly installation: string;
	/** The images that it may run, as it names them. */
	readonly images: readonly string[];
	/** The user and group of sessions, not 0. */
	readonly user: number;
	/** The folders below which containers may have mounts; absolute, without links. */
	readonly folders: readonly string[];
	/** The most memory of a container, in bytes. */
	readonly maxMemory: number;
}

const sessionName = /^session-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-g\d{1,9}$/;
const helperName = /^atelier-helper-[0-9a-f]{16}$/;
const probeName = /^atelier-probe-[0-9a-f]{16}$/;
const minMemory = 16_777_216;

/** Whether a container with this name can be one of the platform's. */
export function isPlatformsName(name: string): boolean {
	return sessionName.test(name) || helperName.test(name) || probeName.test(name);
}

/**
 * Returns the rule of the request that creates a container with this name; undefined when nothing may have the name. Sessions
 * run as their user and nothing else. Helpers run as root with the capabilities for files, one folder and a known command. Probes
 * run as a session does, with a known command and no folder.
 */
export function containerRule(name: string, platform: FilteredPlatform): Rule | undefined {
	if (sessionName.test(name)) return sessionRule(platform);
	if (probeName.test(name)) return probeRule(platform);
	return helperName.test(name) ? helperRule(platform) : undefined;
}

function sessionRule(platform: FilteredPlatform): Rule {
	const words = listOf(text, 256);
	const ulimit = objectOf({ Name: text, Soft: integer(0, 1e9), Hard: integer(0, 1e9) });
	const gpus = objectOf({ Count: integer(1, 64), Capabilities: only([["gpu"]]) }, { Driver: only("nvidia") });
	return objectOf(
		{
			...commonRules(platform),
			User: only(`${platform.user}:${platform.user}`),
			HostConfig: withoutSwap(
				objectOf(
					{ ...confinement(platform), Mounts: listOf(mountRule(platform), 64) },
					{
						...hostOptions,
						Tmpfs: recordOf(/^\//, tmpfs),
						Ulimits: listOf(ulimit, 16),
						DeviceRequests: listOf(gpus, 1),
					},
				),
			),
		},
		{
			...options,
			Cmd: words,
			Entrypoint: words,
			WorkingDir: text,
			StopSignal: only("SIGTERM"),
			Healthcheck: only({ Test: ["NONE"] }),
		},
	);
}

function probeRule(platform: FilteredPlatform): Rule {
	return objectOf({
		...commonRules(platform),
		User: only(`${platform.user}:${platform.user}`),
		Entrypoint: only([]),
		Cmd: only(["cat", "/proc/self/status", "/proc/self/mounts", "/proc/net/dev"]),
		HostConfig: withoutSwap(objectOf({ ...confinement(platform), Tmpfs: recordOf(/^\//, tmpfs) })),
	});
}

/** The limit of memory with swap has to be that of memory, which means: no swap. */
function withoutSwap(rule: Rule): Rule {
	return (value, path) => {
		const passed = rule(value, path);
		const { Memory, MemorySwap } = Object(passed);
		return Memory === MemorySwap ? passed : refuse(`${path}.MemorySwap`);
	};
}

function helperRule(platform: FilteredPlatform): Rule {
	const owner = `${platform.user}:${platform.user}`;
	const commands = [
		["chown", "-hR", owner, "/folder"],
		["find", "/folder", "-mindepth", "1", "-delete"],
		["rm", "-rf", "--", "/folder/workspace", "/folder/workspace.partial"],
		["rm", "-rf", "--", "/folder/state", "/folder/agent.log"],
		["du", "-s", "-B1", "/folder"],
	];
	return objectOf(
		{
			...commonRules(platform),
			User: only("0:0"),
			Entrypoint: only([]),
			Cmd: oneOf(commands),
			HostConfig: withoutSwap(
				objectOf(
					{
						...confinement(platform),
						CapAdd: only(["CHOWN", "DAC_OVERRIDE", "FOWNER"]),
						Mounts: listOf(mountRule(platform), 1),
					},
					hostOptions,
				),
			),
		},
		options,
	);
}

function commonRules({ images, installation }: FilteredPlatform): Rules {
	return {
		Image: oneOf(images),
		Labels: (value, path) => {
			const labels = recordOf(/^atelier\.[a-z_]{1,40}$/, text)(value, path);
			return labels instanceof Object &&
				"atelier.installation" in labels &&
				labels["atelier.installation"] === installation
				? labels
				: refuse(`${path}.atelier.installation`);
		},
	};
}

const options: Rules = { Env: listOf(text, 1_000), Hostname: text };

function confinement({ maxMemory }: FilteredPlatform): Rules {
	return {
		NetworkMode: only("none"),
		ReadonlyRootfs: only(true),
		CapDrop: only(["ALL"]),
		SecurityOpt: only(["no-new-privileges"]),
		Memory: integer(minMemory, maxMemory),
		MemorySwap: integer(minMemory, maxMemory),
		NanoCpus: integer(1_000_000, 1e12),
		PidsLimit: integer(1, 65_536),
		RestartPolicy: only({ Name: "no" }),
		LogConfig: objectOf({ Type: only("json-file"), Config: recordOf(/^max-(size|file)$/, text) }),
	};
}

const hostOptions: Rules = { Init: boolean, OomScoreAdj: integer(0, 1_000) };

/** The options of a temporary file system, without devices and programs that change their user. */
const tmpfs = textThat((options) =>
	/^((rw|exec|noexec|nosuid|nodev|(size|mode|uid|gid|nr_inodes)=\d{1,15})(,|$))+$/.test(options),
);

/** A folder of the host; a link in its path could lead anywhere. */
function mountRule({ folders }: FilteredPlatform): Rule {
	return objectOf({
		Type: only("bind"),
		Source: textThat((path) => folders.some((folder) => isBelow(folder, path))),
		Target: text,
		ReadOnly: boolean,
	});
}

function isBelow(folder: string, path: string): boolean {
	const inner = relative(folder, path);
	if (inner === "" || inner === ".." || inner.startsWith("../")) return false;
	try {
		return realpathSync(path) === path && statSync(path).isDirectory();
	} catch {
		return false;
	}
}

/** Reads a request that was sent as JSON. @throws {SyntaxError} */
export function requestOf(body: Buffer): Json {
	const parsed: unknown = JSON.parse(body.toString("utf8"));
	return parsed as Json;
}
