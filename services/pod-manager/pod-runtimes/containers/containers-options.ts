/** The arguments of the runtime for containers, and their checks, which the configuration does not make. */
import { availableParallelism, totalmem } from "node:os";
import { ConfigError } from "#shared/config/config.ts";
import {
	egressHostForm,
	internalHostForm,
	egressProfiles,
	maxEgressHosts as maxListed,
} from "#shared/base/hosts/egress-profiles.ts";
import { type EgressRules, type InternalHost, isPort } from "#shared/net/egress/egress-rules.ts";
import { loopbackHost } from "#shared/wire/pod/agent-url.ts";
import type { RuntimeHost } from "../../pod-runtime.ts";
import { fitting, oneOf, refused, whole } from "../runtime-arguments.ts";
import { operatorRules } from "./launch-egress.ts";
import type { LimitSettings } from "./launches/launch-limits.ts";

/** The arguments of the runtime in the configuration. */
export interface ContainersArguments {
	/** The Unix socket of the engine or of its filter; default `/var/run/docker.sock`. */
	readonly socket?: string;
	/** The image of sessions, best with its digest; default `atelier/session`. */
	readonly image?: string;
	/** The images beside it that sessions may name (`workload_config.image`); default none. They need `sh` and git 2.39. */
	readonly images?: readonly string[];
	/** The user and group of sessions, which no person has; default 231001. */
	readonly user?: number;
	/** The memory of a session without `resource_config.memory`, in MB; default 4096. */
	readonly memory_mb?: number;
	/** The most that `resource_config.memory` may ask for; default 16384, at most half of the machine's and at least `memory_mb`. */
	readonly max_memory_mb?: number;
	/** The processors of a session without `resource_config.cpu`; default 2, or 1 where there is only one. */
	readonly processors?: number;
	/** The most that `resource_config.cpu` may ask for; default: those of the machine. */
	readonly max_processors?: number;
	/** The MB of a workspace whose session has no `resource_config.disk`; default 20480. */
	readonly disk_mb?: number;
	/** The most that `resource_config.disk` may ask for; default 102400, and at least `disk_mb`. */
	readonly max_disk_mb?: number;
	/** The most processes of a session; default 1024. */
	readonly processes?: number;
	/** The bytes of the home folder and of the temporary files, in MB each; they count as memory. Default 1024. */
	readonly temporary_mb?: number;
	/** The widest way out of a session: `default`, `restricted` or `none`; default `default`. */
	readonly egress?: string;
	/** The hosts that sessions reach with `restricted`, such as `registry.example.org` or `.example.org`; default none. */
	readonly egress_hosts?: readonly string[];
	/**
	 * Hosts that sessions reach although their addresses are private, such as the company's git host; default none. A port that is
	 * named is reached beside the usual ones: `git.example.org:3000`.
	 */
	readonly internal_hosts?: readonly string[];
	/** The address of this machine at which other processes reach the agents; default loopback. */
	readonly listen_host?: string;
	/** The containers that are started ahead of sessions, from 0 to 20; default 1. */
	readonly warm?: number;
}

/** The names of the arguments that are no texts, and of all of them. */
export const typedContainersKwargs = [
	"user",
	"memory_mb",
	"max_memory_mb",
	"processors",
	"max_processors",
	"disk_mb",
	"max_disk_mb",
	"processes",
	"temporary_mb",
	"egress_hosts",
	"internal_hosts",
	"images",
	"warm",
];
export const containersKwargs = ["socket", "image", "listen_host", "egress", ...typedContainersKwargs];

/** All arguments of the runtime. */
export type ContainersOptions = ContainersArguments & RuntimeHost;

/** The arguments with their defaults. */
export interface ContainersSettings extends LimitSettings {
	readonly socket: string;
	readonly image: string;
	readonly images: readonly string[];
	readonly user: number;
	readonly listenHost: string;
	/** The servers that sessions may reach at most. */
	readonly egress: EgressRules;
	/** The containers that wait for sessions. */
	readonly warm: number;
}

const imageForm = /^\w[\w.:@/-]{0,254}$/;
const imageWords = "the name of an image";
const mib = 1_048_576;
/** A PiB. */
const maxMegabytes = 1_073_741_824;

/** @throws {ConfigError} that names the first argument that cannot be used. */
export function containersSettings(options: ContainersArguments): ContainersSettings {
	const { socket = "/var/run/docker.sock", image = "atelier/session", listen_host = loopbackHost } = options;
	return {
		socket: fitting("socket", socket, /^\/[^\0]+$/, "a path of a Unix socket"),
		image: fitting("image", image, imageForm, imageWords),
		images: listOf("images", options.images ?? []).map((name) => fitting("images", name, imageForm, imageWords)),
		egress: egressOf(options),
		listenHost: fitting("listen_host", listen_host, /^[\w.-]{1,253}$/, "a name or an IPv4 address"),
		user: whole("user", options.user ?? 231_001, 1, 4_294_967_294),
		warm: whole("warm", options.warm ?? 1, 0, 20),
		...limitsOf(options),
	};
}

function egressOf({ egress, egress_hosts, internal_hosts }: ContainersArguments): EgressRules {
	return operatorRules({
		profile: oneOf("egress", egress ?? "default", egressProfiles),
		allowed: hostsOf("egress_hosts", egress_hosts ?? []),
		internal: listOf("internal_hosts", internal_hosts ?? []).map(internalHost),
	});
}

function limitsOf(options: ContainersArguments): LimitSettings {
	const memory = whole("memory_mb", options.memory_mb ?? 4_096, 256, 4_194_304);
	const processors = whole("processors", options.processors ?? Math.min(2, availableParallelism()), 1, 4_096);
	const disk = whole("disk_mb", options.disk_mb ?? 20_480, 64, maxMegabytes);
	const maxMemory = Math.max(memory, Math.min(16_384, Math.floor(totalmem() / 2 / mib)));
	const maxProcessors = Math.max(processors, availableParallelism());
	return {
		limits: {
			memoryBytes: memory * mib,
			nanoCpus: processors * 1e9,
			processes: whole("processes", options.processes ?? 1_024, 32, 65_536),
			temporaryBytes: whole("temporary_mb", options.temporary_mb ?? 1_024, 16, 4_194_304) * mib,
			diskBytes: disk * mib,
		},
		maxLimits: {
			memoryBytes: whole("max_memory_mb", options.max_memory_mb ?? maxMemory, memory, 4_194_304) * mib,
			nanoCpus: whole("max_processors", options.max_processors ?? maxProcessors, processors, 4_096) * 1e9,
			diskBytes: whole("max_disk_mb", options.max_disk_mb ?? Math.max(disk, 102_400), disk, maxMegabytes) * mib,
		},
	};
}

function hostsOf(name: string, value: unknown): string[] {
	return listOf(name, value).map((host) => fitting(name, host, egressHostForm, "a list of hosts").toLowerCase());
}

function internalHost(value: unknown): InternalHost {
	const text = fitting(
		"internal_hosts",
		value,
		internalHostForm,
		"a list of hosts, with a port where it is not 22, 80 or 443",
	);
	const [, host = "", digits] = internalHostForm.exec(text.toLowerCase()) ?? [];
	if (digits === undefined) return { host };
	const port = Number(digits);
	if (isPort(port)) return { host, port };
	throw new ConfigError(
		`Configuration key "pods.runtime.kwargs.internal_hosts" has a port that does not exist: ${text}`,
	);
}

function listOf(name: string, value: unknown): unknown[] {
	if (Array.isArray(value) && value.length <= maxListed) return value;
	throw refused(name, `a list of at most ${maxListed} names`, value);
}
