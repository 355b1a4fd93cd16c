/** Describes the container of a launch for the engine. Pure. */
import type { Launch } from "../local-process/launch.ts";
import { podName } from "../../pod-runtime.ts";

/** The labels of all containers of the platform. */
export const label = {
	installation: "atelier.installation",
	session: "atelier.session",
	generation: "atelier.generation",
	workspace: "atelier.workspace",
} as const;

/** The places inside of a container. */
export const inside = {
	/** The folder of the platform's sockets, which the session cannot change. */
	platform: "/run/atelier/in",
	/** The folder of the agent's socket. */
	agent: "/run/atelier/out",
	workspace: "/session",
	state: "/session-state",
	home: "/home/agent",
	temporary: "/tmp",
} as const;

/** The sockets in the platform's folder. */
export const doorSocket = "api.sock";

/** The resources of a container. */
export interface ContainerLimits {
	readonly memoryBytes: number;
	/** Billionths of a processor. */
	readonly nanoCpus: number;
	readonly processes: number;
	/** The bytes of the home folder and of the temporary files each; they count as memory. */
	readonly temporaryBytes: number;
}

/** One container. */
export interface ContainerPlan extends Launch {
	readonly installation: string;
	readonly workspaceId: string;
	readonly image: string;
	/** The user and group of sessions. */
	readonly user: number;
	readonly limits: ContainerLimits;
	/** The folders of the host by their place in {@link inside}. */
	readonly folders: Readonly<Record<"platform" | "agent" | "workspace" | "state", string>>;
	readonly env: Readonly<Record<string, string>>;
}

/** Returns the name of the container, with which the engine lets only one exist. */
export function containerName(launch: Launch): string {
	return podName(launch.sessionId, launch.generation);
}

/** Returns the body of `POST /containers/create` (Docker Engine API 1.41). Nothing in it is secret: `inspect` shows all of it. */
export function containerRequest(plan: ContainerPlan): object {
	const { installation, sessionId, generation, workspaceId, image, user, env } = plan;
	return {
		Image: image,
		User: `${user}:${user}`,
		Cmd: ["agent/main.ts", "--launch-from", `${inside.platform}/${doorSocket}`],
		Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
		Labels: {
			[label.installation]: installation,
			[label.session]: sessionId,
			[label.generation]: String(generation),
			[label.workspace]: workspaceId,
		},
		HostConfig: hostConfig(plan),
	};
}

function hostConfig({ limits, folders, user }: ContainerPlan): object {
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
		RestartPolicy: { Name: "no" },
		LogConfig: { Type: "json-file", Config: { "max-size": "1m", "max-file": "2" } },
		Tmpfs: { [inside.home]: temporary, [inside.temporary]: temporary },
		Mounts: [
			mount(folders.platform, inside.platform, true),
			mount(folders.agent, inside.agent, false),
			mount(folders.workspace, inside.workspace, false),
			mount(folders.state, inside.state, false),
		],
	};
}

function mount(source: string, target: string, isReadOnly: boolean): object {
	return { Type: "bind", Source: source, Target: target, ReadOnly: isReadOnly };
}
