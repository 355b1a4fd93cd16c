/** The arguments of the runtime for clusters, and their checks, which the configuration does not make. */
import { compileSchema } from "#shared/base/schema/validator.ts";
import { isNetworkVariable } from "#shared/config/machine-variables.ts";
import { type EgressProfile, egressProfiles } from "#shared/base/hosts/egress-profiles.ts";
import type { RuntimeHost } from "../../pod-runtime.ts";
import { fitting, oneOf, refused, whole } from "../runtime-arguments.ts";
import type { Placement } from "./objects/pod-manifest.ts";

/** The arguments of the runtime in the configuration. */
export interface KubernetesArguments {
	/** The namespace of the objects of sessions; default `atelier-sessions`. */
	readonly namespace?: string;
	/** The image of sessions, best with its digest; default `atelier/session`. */
	readonly image?: string;
	/** The images beside it that sessions may name (`workload_config.image`), which get the session agent; `*` stands for all. Default none. */
	readonly images?: readonly string[];
	/** Further images that sessions may name and that have the session agent, because they are made on the image of sessions. Default none. */
	readonly own_images?: readonly string[];
	/** The URL of the pod manager's door, as pods reach it; default `http://pod-manager.atelier-system:7440`. */
	readonly door_url?: string;
	/** The port at which the pod manager's door listens, at all addresses; default 7440. */
	readonly door_port?: number;
	/** The origin of the platform's API, as pods reach it; default: that of the platform's own configuration. */
	readonly platform_origin?: string;
	/** The kubeconfig file outside of a cluster; default: the account of the pod that the pod manager runs in. */
	readonly kubeconfig?: string;
	/** The context of the kubeconfig file; default: its current one. */
	readonly context?: string;
	/** The user and group of sessions; default 231001, which the image of sessions knows by a name. */
	readonly user?: number;
	/** The memory of a session without `resource_config.memory`, in MB; default 4096. */
	readonly memory_mb?: number;
	/** The most that `resource_config.memory` may ask for; default 16384. */
	readonly max_memory_mb?: number;
	/** The processors of a session without `resource_config.cpu`; default 2. */
	readonly processors?: number;
	/** The most that `resource_config.cpu` may ask for; default 8. */
	readonly max_processors?: number;
	/** The part of its processors that is kept for a session, in percent; default 25. */
	readonly processor_share?: number;
	/** The MB of the volume of a workspace whose session has no `resource_config.disk`; default 10240. */
	readonly disk_mb?: number;
	/** The most that `resource_config.disk` may ask for; default 102400. */
	readonly max_disk_mb?: number;
	/** The most that `resource_config.gpu` may ask for; default 0. */
	readonly max_gpus?: number;
	/** `ReadWriteOncePod` or `ReadWriteOnce`; default `ReadWriteOncePod`, with which the cluster lets one pod only have a workspace. */
	readonly access_mode?: string;
	/** The egress profile of sessions without one; default `default`. */
	readonly egress?: string;
	/** The variables of the network that every session has: proxies, authorities, and registries of packages. Default none. */
	readonly variables?: Readonly<Record<string, string>>;
	/** Where pods run, by the names that sessions choose (`workload_config.placement`); `default` is that of all others. */
	readonly placements?: Readonly<Record<string, Placement>>;
}

export type KubernetesOptions = KubernetesArguments & RuntimeHost;

/** The limits of sessions: the first of each pair is the usual one, the second the most. */
export interface ClusterLimits {
	readonly memoryBytes: readonly [number, number];
	readonly processors: readonly [number, number];
	readonly diskBytes: readonly [number, number];
	readonly maxGpus: number;
	readonly processorShare: number;
}

/** The arguments with their defaults. */
export interface KubernetesSettings {
	readonly namespace: string;
	readonly image: string;
	readonly images: readonly string[];
	readonly ownImages: readonly string[];
	readonly doorUrl: string;
	readonly doorPort: number;
	readonly platformOrigin: string | undefined;
	readonly kubeconfig: string | undefined;
	readonly context: string | undefined;
	readonly user: number;
	readonly limits: ClusterLimits;
	readonly accessMode: "ReadWriteOncePod" | "ReadWriteOnce";
	readonly egress: EgressProfile;
	readonly variables: Readonly<Record<string, string>>;
	readonly placements: Readonly<Record<string, Placement>>;
}

const mib = 1_048_576;
const nameForm = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const imageForm = /^\w[\w.:@/-]{0,254}$/;

const usual = {
	namespace: "atelier-sessions",
	image: "atelier/session",
	door_url: "http://pod-manager.atelier-system:7440",
	door_port: 7_440,
	user: 231_001,
	access_mode: "ReadWriteOncePod",
	egress: "default",
} as const;

/** @throws {ConfigError} that names the first argument that cannot be used. */
export function kubernetesSettings(options: KubernetesArguments): KubernetesSettings {
	const given = { ...usual, ...options };
	const { platform_origin: origin, images = [], own_images: ownImages = [] } = options;
	return {
		namespace: fitting("namespace", given.namespace, nameForm, "the name of a namespace"),
		image: fitting("image", given.image, imageForm, "the name of an image"),
		images: images.map((name) => (name === "*" ? name : fitting("images", name, imageForm, "a list of images"))),
		ownImages: ownImages.map((name) => fitting("own_images", name, imageForm, "a list of images")),
		doorUrl: originOf("door_url", given.door_url),
		doorPort: whole("door_port", given.door_port, 0, 65_535),
		platformOrigin: origin === undefined ? undefined : originOf("platform_origin", origin),
		kubeconfig: options.kubeconfig,
		context: options.context,
		user: whole("user", given.user, 1, 4_294_967_294),
		limits: limitsOf(options),
		accessMode: oneOf("access_mode", given.access_mode, ["ReadWriteOncePod", "ReadWriteOnce"]),
		egress: oneOf("egress", given.egress, egressProfiles),
		variables: variablesOf(options.variables ?? {}),
		placements: placementsOf(options.placements ?? {}),
	};
}

function limitsOf(options: KubernetesArguments): ClusterLimits {
	const memory = whole("memory_mb", options.memory_mb ?? 4_096, 256, 4_194_304);
	const processors = whole("processors", options.processors ?? 2, 1, 4_096);
	const disk = whole("disk_mb", options.disk_mb ?? 10_240, 64, 1_073_741_824);
	const most = <K extends keyof KubernetesArguments>(name: K, usual: number, least: number, highest: number) =>
		whole(name, options[name] ?? Math.max(usual, least), least, highest);
	return {
		memoryBytes: [memory * mib, most("max_memory_mb", 16_384, memory, 4_194_304) * mib],
		processors: [processors, most("max_processors", 8, processors, 4_096)],
		diskBytes: [disk * mib, most("max_disk_mb", 102_400, disk, 1_073_741_824) * mib],
		maxGpus: whole("max_gpus", options.max_gpus ?? 0, 0, 64),
		processorShare: whole("processor_share", options.processor_share ?? 25, 1, 100) / 100,
	};
}

/** Only those that a session passes on to its programs; any other one would be there for the agent alone. Its value may be a secret. */
function variablesOf(variables: Readonly<Record<string, unknown>>): Record<string, string> {
	const checked: Record<string, string> = {};
	for (const [name, value] of Object.entries(variables)) {
		if (!isNetworkVariable(name) || typeof value !== "string" || value.includes("\0"))
			throw refused("variables", "names of variables about the network with texts", name);
		checked[name] = value;
	}
	return checked;
}

const text = { type: "string", optional: true } as const;
const checkPlacement = compileSchema({
	runtimeClassName: text,
	nodeSelector: { type: "record", key: { type: "string" }, value: { type: "string" }, optional: true },
	tolerations: { type: "array", items: { type: "any" }, optional: true },
	affinity: { type: "any", optional: true },
	priorityClassName: text,
	imagePullSecrets: { type: "array", items: { type: "string" }, optional: true },
	storageClass: text,
	hostUsers: { type: "boolean", optional: true },
});

function placementsOf(placements: Readonly<Record<string, Placement>>): Record<string, Placement> {
	const checked: Record<string, Placement> = {};
	for (const [name, placement] of Object.entries(placements)) {
		const copy: unknown = structuredClone(placement);
		if (!nameForm.test(name) || !isPlacement(copy))
			throw refused("placements", "names with placements", { [name]: placement });
		checked[name] = copy;
	}
	return checked;
}

function isPlacement(value: unknown): value is Placement {
	return value instanceof Object && checkPlacement(value).length === 0;
}

function originOf(name: string, value: string): string {
	const url = URL.canParse(value) ? new URL(value) : undefined;
	if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== "/" || url.search !== "")
		throw refused(name, "an http URL without a path", value);
	return url.origin;
}
