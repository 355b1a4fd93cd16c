/** Describes the objects of a launch for the cluster. Pure. */
import { deliveredPlace } from "#shared/wire/agents/delivered-agent.ts";
import type { KubeObject } from "#shared/kubernetes/api/kube-object.ts";
import type { Launch } from "../../launches/launch.ts";
import { delivering, deliveredMounts, deliveredStart, deliveredVolume } from "./delivered-agent.ts";
import type { ProvenKind } from "./launch-proof.ts";
import { annotation, finalizer, label, labelOf, objectName, sessionName, volumeClaimName } from "./cluster-names.ts";

/** The port at which the session agent listens. */
export const agentPort = 7433;

/** The name of the container of a session. */
export const sessionContainer = "session";

/** The places inside of a pod's container. */
export const inside = {
	/** The mount of the volume: clones are renamed into place, which works within one mount only. */
	volume: "/session",
	workspace: "/session/workspace",
	/** The records of sessions, in a folder of each. */
	state: "/session/state",
	home: "/home/agent",
	temporary: "/tmp",
	secrets: "/run/secrets",
	token: "/run/atelier/token",
	termination: "/dev/termination-log",
	agent: deliveredPlace,
} as const;

/** The audience of the token with which a pod asks for its launch; no other service accepts it. */
export const launchAudience = "atelier-session";

/** The least that the API accepts, in seconds. The kubelet renews a token before it expires. */
const tokenSeconds = 600;

/** The time between the request to end a pod and the end of its processes, in seconds: 20 s of the agent, and its last reports. */
const graceSeconds = 45;

/** The seconds for which a pod stays on a machine that does not answer. */
const unreachableSeconds = 120;

/** The place of pods that an administrator offers by a name (`workload_config.placement`). */
export interface Placement {
	readonly runtimeClassName?: string;
	readonly nodeSelector?: Readonly<Record<string, string>>;
	readonly tolerations?: readonly object[];
	readonly affinity?: object;
	readonly priorityClassName?: string;
	readonly imagePullSecrets?: readonly string[];
	readonly storageClass?: string;
	/** Whether the pod shares the user namespace of its machine; default: as the cluster has it. */
	readonly hostUsers?: boolean;
}

/** The resources of a pod. */
export interface PodResources {
	readonly memoryBytes: number;
	readonly processors: number;
	/** The part of the processors that is kept for the pod: sessions wait for people most of the time. */
	readonly processorShare: number;
	readonly diskBytes: number;
	readonly gpus: number;
	readonly gpuType?: string;
}

export interface PodPlan extends Launch {
	readonly installation: string;
	/** They show that the platform has made the objects of the launch. */
	readonly proofs: Readonly<Record<ProvenKind, string>>;
	readonly workspaceId: string;
	readonly owner: { readonly tenant: string; readonly id: string };
	readonly image: string;
	/** The image of sessions, which brings the session agent to an image that has none; absent: the image has it. */
	readonly deliveredBy?: string | undefined;
	readonly user: number;
	readonly resources: PodResources;
	readonly placement: Placement;
	readonly egress: string;
	/** The variables of the network, such as a proxy. */
	readonly variables: Readonly<Record<string, string>>;
	/** The URL of the platform's door, as pods reach it. */
	readonly doorUrl: string;
	readonly accessMode: "ReadWriteOncePod" | "ReadWriteOnce";
}

/** An object as it is sent. */
interface Manifest extends KubeObject {
	readonly spec?: object;
	readonly automountServiceAccountToken?: boolean;
}

/** Returns the labels of all objects of a launch. Nothing that a user writes is part of them. */
function launchLabels({ installation, sessionId, generation, workspaceId, owner }: PodPlan): Record<string, string> {
	return {
		[label.name]: sessionName,
		[label.installation]: installation,
		[label.session]: sessionId,
		[label.generation]: String(generation),
		[label.workspace]: workspaceId,
		[label.owner]: labelOf(owner.id),
		[label.tenant]: labelOf(owner.tenant),
	};
}

/** Returns the account of a launch, which no other pod has: deleting it ends every login with its tokens. */
export function accountManifest(plan: PodPlan): Manifest {
	return {
		apiVersion: "v1",
		kind: "ServiceAccount",
		metadata: {
			name: objectName(plan),
			labels: launchLabels(plan),
			annotations: { [annotation.proof]: plan.proofs.ServiceAccount },
		},
		automountServiceAccountToken: false,
	};
}

/** Returns the volume claim of a workspace, which outlives the sessions that run in it. */
export function volumeClaimManifest(plan: PodPlan): Manifest {
	const { installation, workspaceId, owner, resources, placement, accessMode } = plan;
	const labels = {
		[label.name]: "atelier-workspace",
		[label.installation]: installation,
		[label.workspace]: workspaceId,
		[label.owner]: labelOf(owner.id),
		[label.tenant]: labelOf(owner.tenant),
	};
	return {
		apiVersion: "v1",
		kind: "PersistentVolumeClaim",
		metadata: { name: volumeClaimName(workspaceId), labels },
		spec: {
			accessModes: [accessMode],
			resources: { requests: { storage: String(resources.diskBytes) } },
			...(placement.storageClass !== undefined && { storageClassName: placement.storageClass }),
		},
	};
}

export function podManifest(plan: PodPlan): Manifest {
	const { placement, user, egress } = plan;
	return {
		apiVersion: "v1",
		kind: "Pod",
		metadata: {
			name: objectName(plan),
			finalizers: [finalizer],
			labels: { ...launchLabels(plan), [label.egress]: egress },
			annotations: {
				[annotation.proof]: plan.proofs.Pod,
				"cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
				"karpenter.sh/do-not-disrupt": "true",
			},
		},
		spec: {
			// A second start is a new generation.
			restartPolicy: "Never",
			serviceAccountName: objectName(plan),
			automountServiceAccountToken: false,
			// The address of every Service would stand in the environment.
			enableServiceLinks: false,
			terminationGracePeriodSeconds: graceSeconds,
			securityContext: {
				runAsNonRoot: true,
				runAsUser: user,
				runAsGroup: user,
				fsGroup: user,
				fsGroupChangePolicy: "OnRootMismatch",
				seccompProfile: { type: "RuntimeDefault" },
			},
			...placed(placement, plan.resources),
			...initContainers(plan),
			containers: [session(plan)],
			volumes: volumes(plan),
		},
	};
}

/** Returns where the pod may run, and with what priority. */
function placed(placement: Placement, { gpus, gpuType }: PodResources): object {
	const { runtimeClassName, nodeSelector, tolerations = [], affinity, priorityClassName, hostUsers } = placement;
	const gpuNodes = gpuType === undefined ? {} : { "nvidia.com/gpu.product": gpuType };
	const selector = { ...gpuNodes, ...nodeSelector };
	const gpuTaint = { key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" };
	return {
		...(runtimeClassName !== undefined && { runtimeClassName }),
		...(priorityClassName !== undefined && { priorityClassName }),
		...(hostUsers !== undefined && { hostUsers }),
		...(affinity !== undefined && { affinity }),
		...(Object.keys(selector).length > 0 && { nodeSelector: selector }),
		...(placement.imagePullSecrets && { imagePullSecrets: placement.imagePullSecrets.map((name) => ({ name })) }),
		tolerations: [
			...["unreachable", "not-ready"].map((taint) => ({
				key: `node.kubernetes.io/${taint}`,
				operator: "Exists",
				effect: "NoExecute",
				tolerationSeconds: unreachableSeconds,
			})),
			...(gpus > 0 ? [gpuTaint] : []),
			...tolerations,
		],
	};
}

const confined = {
	allowPrivilegeEscalation: false,
	readOnlyRootFilesystem: true,
	capabilities: { drop: ["ALL"] },
} as const;

/** The first program reaps the processes that commands of a session leave behind. */
const ownStart = { command: ["tini", "--", "node"] };

function session(plan: PodPlan): object {
	const { image, doorUrl, deliveredBy, variables } = plan;
	const args = [
		`${inside.agent}/agent/main.ts`,
		"--launch-from",
		doorUrl,
		"--token",
		inside.token,
		"--records",
		inside.state,
	];
	return {
		name: sessionContainer,
		image,
		...(deliveredBy === undefined ? ownStart : deliveredStart),
		args,
		workingDir: inside.agent,
		env: Object.entries({ ...variables, ...environment }).map(([name, value]) => ({ name, value })),
		ports: [{ name: "agent", containerPort: agentPort }],
		// It is for people who look at the pod: the platform takes the agent's own report.
		readinessProbe: { tcpSocket: { port: agentPort }, periodSeconds: 5 },
		resources: requested(plan.resources),
		securityContext: confined,
		terminationMessagePath: inside.termination,
		// The last lines of an agent that could not say why it has ended.
		terminationMessagePolicy: "FallbackToLogsOnError",
		volumeMounts: [
			{ name: "workspace", mountPath: inside.volume, subPath: "session" },
			{ name: "home", mountPath: inside.home },
			{ name: "temporary", mountPath: inside.temporary },
			{ name: "secrets", mountPath: inside.secrets },
			{ name: "token", mountPath: "/run/atelier", readOnly: true },
			...(deliveredBy === undefined ? [] : deliveredMounts),
		],
	};
}

function initContainers({ deliveredBy, user, resources }: PodPlan): object {
	if (deliveredBy === undefined) return {};
	const parts = { confined, resources: requested({ ...resources, gpus: 0 }) };
	return { initContainers: [delivering(deliveredBy, user, parts)] };
}

const environment = {
	HOME: inside.home,
	USER: "agent",
	LOGNAME: "agent",
	TMPDIR: inside.temporary,
	// The image has what Node makes of the agent's modules (Dockerfile).
	NODE_COMPILE_CACHE: `${inside.agent}/cache`,
};

/** Memory is kept for the pod in full: a machine that lends it twice would end the sessions of others. */
function requested({ memoryBytes, processors, processorShare, gpus }: PodResources): object {
	const memory = String(memoryBytes);
	const gpu = gpus > 0 ? { "nvidia.com/gpu": String(gpus) } : {};
	return {
		requests: { cpu: milli(processors * processorShare), memory, "ephemeral-storage": "256Mi" },
		limits: { cpu: milli(processors), memory, "ephemeral-storage": "10Gi", ...gpu },
	};
}

function milli(processors: number): string {
	return `${Math.max(1, Math.round(processors * 1_000))}m`;
}

function volumes({ workspaceId, deliveredBy }: PodPlan): object[] {
	const token = { path: "token", audience: launchAudience, expirationSeconds: tokenSeconds };
	return [
		{ name: "workspace", persistentVolumeClaim: { claimName: volumeClaimName(workspaceId) } },
		{ name: "home", emptyDir: { sizeLimit: "4Gi" } },
		{ name: "temporary", emptyDir: { sizeLimit: "4Gi" } },
		{ name: "secrets", emptyDir: { medium: "Memory", sizeLimit: "4Mi" } },
		{ name: "token", projected: { sources: [{ serviceAccountToken: token }], defaultMode: 0o440 } },
		...(deliveredBy === undefined ? [] : [deliveredVolume]),
	];
}
