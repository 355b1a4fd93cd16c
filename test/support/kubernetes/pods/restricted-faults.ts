/**
 * The rules of the profile `restricted` (Kubernetes, "Pod Security Standards"), written down by hand, so that a test needs no cluster, and the
 * read-only root that the project adds. Sysctls are refused altogether, although the profile takes some.
 */

interface ContainerSecurity {
	readonly privileged?: boolean;
	readonly allowPrivilegeEscalation?: boolean;
	readonly readOnlyRootFilesystem?: boolean;
	readonly capabilities?: { readonly drop?: readonly string[]; readonly add?: readonly string[] };
	readonly procMount?: string;
	readonly runAsNonRoot?: boolean;
	readonly runAsUser?: number;
	readonly seccompProfile?: { readonly type: string };
}

interface Container {
	readonly name: string;
	readonly ports?: readonly { readonly hostPort?: number }[];
	readonly resources?: { readonly limits?: Readonly<Record<string, string>> };
	readonly imagePullPolicy?: string;
	readonly securityContext?: ContainerSecurity;
}

/** The members of a pod that the rules are about, and those that tests of manifests read. */
export interface RestrictedPod {
	readonly metadata: { readonly name: string; readonly finalizers?: readonly string[] };
	readonly spec: {
		readonly hostNetwork?: boolean;
		readonly hostPID?: boolean;
		readonly hostIPC?: boolean;
		readonly nodeSelector?: object;
		readonly tolerations?: readonly object[];
		readonly securityContext?: ContainerSecurity & { readonly sysctls?: readonly object[] };
		readonly volumes?: readonly Readonly<Record<string, unknown>>[];
		readonly containers: readonly Container[];
		readonly initContainers?: readonly Container[];
	};
}

const allowedVolumes = new Set(
	"configMap csi downwardAPI emptyDir ephemeral persistentVolumeClaim projected secret".split(" "),
);
const allowedSeccomp = new Set(["RuntimeDefault", "Localhost"]);

/** Returns a sentence for each rule that the pod breaks. */
export function restrictedFaults({ spec }: RestrictedPod): string[] {
	const containers = [...spec.containers, ...(spec.initContainers ?? [])];
	return [
		...broken({
			"it shares the network of its machine": spec.hostNetwork === true,
			"it sees the processes of its machine": spec.hostPID === true,
			"it shares memory with its machine": spec.hostIPC === true,
			"it has sysctls": (spec.securityContext?.sysctls ?? []).length > 0,
			"it may be root": spec.securityContext?.runAsUser === 0,
			"it has a volume of another kind": (spec.volumes ?? []).some((volume) => !isAllowed(volume)),
		}),
		...containers.flatMap((container) => containerFaults(container, spec.securityContext)),
	];
}

function containerFaults({ name, ports = [], securityContext = {} }: Container, pod: ContainerSecurity = {}): string[] {
	// A container has what its pod says, where it says nothing itself.
	const { capabilities: { drop = [], add = [] } = {}, ...all } = { procMount: "Default", ...pod, ...securityContext };
	const faults = broken({
		"has a port of the machine": ports.some(({ hostPort }) => hostPort !== undefined),
		"is privileged": all.privileged === true,
		"may get more rights": all.allowPrivilegeEscalation !== false,
		"keeps capabilities": !drop.includes("ALL"),
		"gets capabilities": add.some((one) => one !== "NET_BIND_SERVICE"),
		"sees all of /proc": all.procMount !== "Default",
		"may be root": all.runAsNonRoot !== true || all.runAsUser === 0,
		"may make every system call": !allowedSeccomp.has(all.seccompProfile?.type ?? ""),
		"may write to its root": all.readOnlyRootFilesystem !== true,
	});
	return faults.map((fault) => `the container "${name}" ${fault}`);
}

function isAllowed(volume: Readonly<Record<string, unknown>>): boolean {
	return Object.keys(volume).every((member) => member === "name" || allowedVolumes.has(member));
}

function broken(rules: Readonly<Record<string, boolean>>): string[] {
	return Object.entries(rules).flatMap(([sentence, isBroken]) => (isBroken ? [sentence] : []));
}
