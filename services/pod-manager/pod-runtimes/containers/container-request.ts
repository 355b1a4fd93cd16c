/** Describes the container of a launch for the engine. Pure. */
import { posix } from "node:path";
import { doorSockets } from "#shared/wire/pod/door/door-sockets.ts";
import { type Launch, parseLaunch } from "../launches/launch.ts";
import { podName } from "../../pod-runtime.ts";
import { deliveredEntrypoint, deliveredPlace, namingFiles } from "#shared/wire/agents/delivered-agent.ts";

/** The labels of all containers of the platform. */
export const label = {
	installation: "atelier.installation",
	session: "atelier.session",
	generation: "atelier.generation",
	workspace: "atelier.workspace",
	/** Marks a container that was started ahead of its session (warm/warm-containers.ts), whose labels cannot change any more; the value is its own. */
	warm: "atelier.warm",
	/** Marks a container that does one thing and ends (helpers/short-containers.ts); the values are the things. */
	helper: "atelier.helper",
	probe: "atelier.probe",
} as const;

/** The places inside of a container. */
export const inside = {
	/** The folder of the platform's sockets, which the session cannot change. */
	platform: "/run/atelier/in",
	/** The folder of the agent's socket. */
	agent: "/run/atelier/out",
	workspace: "/session",
	/** The folder of the session's records. The session can change what is in it, and not what the mount leads to. */
	records: "/session-records",
	state: "/session-records/state",
	home: "/home/agent",
	temporary: "/tmp",
} as const;

/** The log of the first program, in the agent's folder. An engine would copy everything that a session writes to its own log. */
export const agentLog = "agent.log";
/** Becomes the program of its arguments, which writes to that log. */
const logging = ["/bin/sh", "-c", `exec "$0" "$@" >>${inside.agent}/${agentLog} 2>&1`];

/** The names of the mounted folders in that of a launch on the host. */
export const socketFolders = { platform: "in", agent: "out" } as const;

/** The name of the launch document in the folder of its launch. */
export const documentName = "launch.json";

/** The resources of a container. */
export interface ContainerLimits {
	readonly memoryBytes: number;
	/** Billionths of a processor. */
	readonly nanoCpus: number;
	readonly processes: number;
	/** The bytes of the home folder and of the temporary files each; they count as memory. */
	readonly temporaryBytes: number;
}

/** The weight of a container while processors are busy; a program outside has 1024. The platform comes first then. */
const shares = 128;

/** The part of a container that says nothing of a session. */
interface ContainerParts {
	readonly installation: string;
	readonly image: string;
	/** The folder with the session agent for an image that has none (agent-delivery.ts); absent: the image has it. */
	readonly delivery?: string | undefined;
	/** The places at which such an image wants volumes, which nothing would bound. They are bounded folders in memory instead. */
	readonly volumes?: readonly string[];
	/** The user and group of sessions. */
	readonly user: number;
	readonly limits: ContainerLimits;
	/**
	 * The folders of the host by their place in {@link inside}. Only the platform can write the folders above them: an engine
	 * follows links, and would give a session what a link leads to.
	 */
	readonly folders: Readonly<Record<"platform" | "agent" | "workspace" | "records", string>>;
	readonly env: Readonly<Record<string, string>>;
}

/** The container of a launch. */
export interface ContainerPlan extends ContainerParts, Launch {
	readonly workspaceId: string;
}

/** A container that waits for its launch. */
export interface WarmPlan extends ContainerParts {
	/** The value of its label. */
	readonly warm: string;
}

/** Returns the name of the container, with which the engine lets only one exist. */
export function containerName(launch: Launch): string {
	return podName(launch.sessionId, launch.generation);
}

/** The beginning of the names of all containers that have a launch. */
export const namePrefix = "session-";

/** Returns the launch of a container with this name; undefined when it has none. */
export function launchOf(name: string): Launch | undefined {
	return name.startsWith(namePrefix) ? parseLaunch(name.slice(namePrefix.length)) : undefined;
}

/** Returns the body of `POST /containers/create` (Docker Engine API 1.41). Nothing in it is secret: `inspect` shows all of it. */
export function containerRequest({ sessionId, generation, workspaceId, ...parts }: ContainerPlan): object {
	return requestOf(parts, [], {
		[label.session]: sessionId,
		[label.generation]: String(generation),
		[label.workspace]: workspaceId,
	});
}

/** Returns the same for a container that waits: it differs in nothing that confines it. */
export function warmRequest({ warm, ...parts }: WarmPlan): object {
	return requestOf(parts, ["--wait-at", `${inside.platform}/${doorSockets.waiting}`], { [label.warm]: warm });
}

function requestOf(
	parts: ContainerParts,
	waiting: readonly string[],
	labels: Readonly<Record<string, string>>,
): object {
	const { installation, image, user, env } = parts;
	return {
		Image: image,
		User: `${user}:${user}`,
		...(parts.delivery === undefined ? ownStart : deliveredStart),
		Cmd: ["agent/main.ts", "--launch-from", `${inside.platform}/${doorSockets.platform}`, ...waiting],
		Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
		Labels: { [label.installation]: installation, ...labels },
		HostConfig: hostConfig(parts),
	};
}

/** The first program reaps the processes that commands of a session leave behind. */
const ownStart = { Entrypoint: [...logging, "tini", "--", "node"] };

/** Another image may name other values. Its first program writes to the same log (agent/enter-image.sh). */
const deliveredStart = {
	Entrypoint: deliveredEntrypoint,
	WorkingDir: deliveredPlace,
	StopSignal: "SIGTERM",
	// Nobody asks how the program of the image does.
	Healthcheck: { Test: ["NONE"] },
};

/** The part of a request that confines a container, as the engine names it. */
export interface Confinement {
	readonly NetworkMode: "none";
	readonly ReadonlyRootfs: true;
	readonly CapDrop: readonly string[];
	readonly SecurityOpt: readonly string[];
	readonly Memory: number;
	readonly MemorySwap: number;
	readonly NanoCpus: number;
	readonly PidsLimit: number;
	readonly CpuShares: number;
	readonly RestartPolicy: object;
	readonly LogConfig: object;
	readonly Tmpfs: Readonly<Record<string, string>>;
}

function hostConfig({ folders, delivery, volumes = [], ...plan }: ContainerParts): object {
	const confined = confinement(plan);
	const { [inside.temporary]: bounded = "" } = confined.Tmpfs;
	const own: readonly string[] = [...Object.values(inside), deliveredPlace];
	const others = volumes.map((place) => posix.resolve("/", place)).filter((place) => !own.includes(place));
	return {
		...confined,
		Tmpfs: { ...Object.fromEntries(others.map((place) => [place, bounded])), ...confined.Tmpfs },
		Mounts: [
			mount(folders.platform, inside.platform, true),
			mount(folders.agent, inside.agent, false),
			mount(folders.workspace, inside.workspace, false),
			mount(folders.records, inside.records, false),
			...(delivery === undefined ? [] : deliveredMounts(delivery)),
		],
	};
}

/** Returns the switches that confine a session; helpers/runtime-probe.ts proves at the start that the engine obeys them. */
export function confinement({ limits, user }: Pick<ContainerParts, "limits" | "user">): Confinement {
	const { memoryBytes, nanoCpus, processes, temporaryBytes } = limits;
	const temporary = `size=${temporaryBytes},exec,nosuid,nodev,uid=${user},gid=${user},mode=700`;
	return {
		NetworkMode: "none",
		ReadonlyRootfs: true,
		CapDrop: ["ALL"],
		SecurityOpt: ["no-new-privileges"],
		Memory: memoryBytes,
		// Equal bounds mean: no swap beside the memory.
		MemorySwap: memoryBytes,
		NanoCpus: nanoCpus,
		PidsLimit: processes,
		CpuShares: shares,
		RestartPolicy: { Name: "no" },
		LogConfig: { Type: "json-file", Config: { "max-size": "1m", "max-file": "2" } },
		Tmpfs: { [inside.home]: temporary, [inside.temporary]: temporary },
	};
}

function deliveredMounts(delivery: string): object[] {
	const names = namingFiles.map((path) => mount(posix.join(delivery, path), path, true));
	return [mount(delivery, deliveredPlace, true), ...names];
}

function mount(source: string, target: string, isReadOnly: boolean): object {
	return { Type: "bind", Source: source, Target: target, ReadOnly: isReadOnly };
}
