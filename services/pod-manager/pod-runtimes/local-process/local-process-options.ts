/** The arguments of the runtime for local processes, and their checks, which the configuration does not make. */
import { join } from "node:path";
import { ConfigError, inheritedEnvironment, withheldEnvironment } from "#shared/config/config.ts";
import { loopbackHost } from "#shared/wire/pod/agent-url.ts";
import type { RuntimeHost } from "../../pod-runtime.ts";
import { fitting, refused, whole } from "../runtime-arguments.ts";

export interface LocalProcessOptions extends Omit<RuntimeHost, "platformUrl" | "refusedNetworks" | "metrics"> {
	/**
	 * The folder whose git and ssh configuration is used to clone; default: the home of the person who started the
	 * platform.
	 */
	userHome?: string;
	/**
	 * The variables of session agents beside their own ones; default: the harmless variables of the platform, and
	 * Node's compile cache.
	 */
	environment?: Record<string, string>;
	/**
	 * The names of proxies and registries that sessions get although the value has a user and password, e.g. `HTTPS_PROXY`;
	 * default none.
	 */
	with_credentials?: readonly string[];
	/** The folder with `agent/main.ts`; default: this project. */
	projectRoot?: string;
	/** The place of the pods' control groups (cgroup v2): `auto`, `none`, or the folder of a group; default `auto`. */
	groups?: string;
	/** The count of session agents that are started ahead of sessions, 0 to 8; default 1. */
	waiting?: number;
	/**
	 * The address, or a name of this machine, at which session agents listen and other processes reach them; default
	 * loopback, which only processes of this machine reach.
	 */
	listen_host?: string;
}

const maxWaiting = 8;

/** Refuses systems other than Linux. @throws {ConfigError} */
export function refuseForeignSystem(): void {
	if (process.platform === "linux") return;
	throw new ConfigError(`Cannot run sessions as processes of this machine: that needs Linux, not ${process.platform}`);
}

export function environmentOf(dataDir: string, passed: readonly string[] = []): Record<string, string> {
	return { ...inheritedEnvironment(undefined, passed), NODE_COMPILE_CACHE: join(dataDir, "cache") };
}

/** @throws {ConfigError} */
export function withCredentialsOf({ with_credentials: names = [] }: LocalProcessOptions): readonly string[] {
	if (Array.isArray(names) && names.every((name) => typeof name === "string" && /^\w{1,64}$/.test(name))) return names;
	throw refused("with_credentials", "a list of names of variables", names);
}

/** Returns a sentence when sessions lack variables of the person, because they hold a credential. */
export function withheldSentence(passed: readonly string[]): string | undefined {
	const names = withheldEnvironment(passed).map((name) => `"${name}"`);
	if (names.length === 0) return undefined;
	return `Sessions do not get ${names.join(", ")}, which has a user or password; "pods.runtime.kwargs.with_credentials" passes what it names`;
}

/** @throws {ConfigError} */
export function listenHostOf({ listen_host = loopbackHost }: LocalProcessOptions): string {
	return fitting("listen_host", listen_host, /^[\w.-]{1,253}$/, "a name or an IPv4 address");
}

/** @throws {ConfigError} */
export function waitingOf({ waiting = 1 }: Pick<LocalProcessOptions, "waiting">): number {
	return whole("waiting", waiting, 0, maxWaiting);
}
