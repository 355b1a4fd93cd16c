/** The arguments of the runtime for containers, and their checks, which the configuration does not make. */
import { ConfigError } from "#shared/config/config.ts";
import { loopbackHost } from "#shared/wire/pod/agent-url.ts";
import type { RuntimeHost } from "../../pod-runtime.ts";
import type { ContainerLimits } from "./container-request.ts";

/** The arguments of the runtime. */
export interface ContainersOptions extends RuntimeHost {
	/** The Unix socket of the engine or of its filter; default `/var/run/docker.sock`. */
	readonly socket?: string;
	/** The image of sessions, best with its digest; default `atelier/session`. */
	readonly image?: string;
	/** The user and group of sessions, which no person has; default 231001. */
	readonly user?: number;
	/** The memory of a session without `resource_config.memory`, in MB; default 4096. */
	readonly memory_mb?: number;
	/** The processors of a session without `resource_config.cpu`; default 2. */
	readonly processors?: number;
	/** The most processes of a session; default 1024. */
	readonly processes?: number;
	/** The bytes of the home folder and of the temporary files, in MB each; they count as memory. Default 1024. */
	readonly temporary_mb?: number;
	/** The address of this machine at which other processes reach the agents; default loopback. */
	readonly listen_host?: string;
}

/** The arguments with their defaults. */
export interface ContainersSettings {
	readonly socket: string;
	readonly image: string;
	readonly user: number;
	readonly listenHost: string;
	readonly limits: ContainerLimits;
}

const mib = 1_048_576;

/** @throws {ConfigError} that names the first argument that cannot be used. */
export function containersSettings(options: ContainersOptions): ContainersSettings {
	const { socket = "/var/run/docker.sock", image = "atelier/session", listen_host = loopbackHost } = options;
	return {
		socket: fitting("socket", socket, /^\/[^\0]+$/, "a path of a Unix socket"),
		image: fitting("image", image, /^[\w][\w.:@/-]{0,254}$/, "the name of an image"),
		listenHost: fitting("listen_host", listen_host, /^[\w.-]{1,253}$/, "a name or an IPv4 address"),
		user: whole("user", options.user ?? 231_001, 1, 4_294_967_294),
		limits: {
			memoryBytes: whole("memory_mb", options.memory_mb ?? 4_096, 256, 4_194_304) * mib,
			nanoCpus: whole("processors", options.processors ?? 2, 1, 4_096) * 1e9,
			processes: whole("processes", options.processes ?? 1_024, 32, 65_536),
			temporaryBytes: whole("temporary_mb", options.temporary_mb ?? 1_024, 16, 4_194_304) * mib,
		},
	};
}

function fitting(name: string, value: unknown, form: RegExp, what: string): string {
	if (typeof value === "string" && form.test(value)) return value;
	throw new ConfigError(`Configuration key "pods.runtime.kwargs.${name}" has to be ${what}: ${JSON.stringify(value)}`);
}

function whole(name: string, value: unknown, min: number, max: number): number {
	if (Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max) return Number(value);
	const wanted = `a whole number from ${min} to ${max}`;
	throw new ConfigError(
		`Configuration key "pods.runtime.kwargs.${name}" has to be ${wanted}: ${JSON.stringify(value)}`,
	);
}
