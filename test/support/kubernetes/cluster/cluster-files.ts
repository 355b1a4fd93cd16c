/** The files of a cluster on a machine of its own: certificates, tokens, and the settings of what runs pods. */
import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { makeCertificate } from "../../bus/test-certificates.ts";
import { nodeImage } from "./node-image.ts";
import { clusterDomain } from "./service-names.ts";

/** The addresses of a cluster, which are those of every one: each is in a network of its own. */
export const addresses = {
	/** The machine, as pods reach it. */
	machine: "10.245.0.1",
	machineNetwork: "10.245.0.1/24",
	/** Nobody has it; it makes a route to everywhere. */
	router: "10.245.0.2",
	pods: "10.244.0.0/24",
	services: "10.96.0.0/16",
	/** The first address of services is that of the API. */
	api: "10.96.0.1",
} as const;

export const apiPort = 6_443;

/** The tokens of those who call the API. */
const people = {
	admin: "admin,1,system:masters",
	controllers: "system:kube-controller-manager,2",
	scheduler: "system:kube-scheduler,3",
	node: "system:node:node1,4,system:nodes",
} as const;

export type ClusterPerson = keyof typeof people;

/** Writes all files. @param group The control group of pods. */
export function writeClusterFiles(folder: string, group: string): void {
	const { machine, api } = addresses;
	const authority = makeCertificate(folder, "authority");
	makeCertificate(folder, "apiserver", authority, ["127.0.0.1", machine, api]);
	makeCertificate(folder, "kubelet", authority, [machine]);
	makeCertificate(folder, "kubelet-client", authority);
	const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
	const key = privateKey.export({ type: "pkcs1", format: "pem" });
	writeFileSync(join(folder, "accounts.key"), key, { mode: 0o600 });
	const tokens = Object.entries(people).map(([name, words]) => `token-of-${name},${words}\n`);
	writeFileSync(join(folder, "tokens.csv"), tokens.join(""), { mode: 0o600 });
	for (const name of Object.keys(people)) writeFileSync(kubeconfigOf(folder, name), kubeconfig(folder, name));
	mkdirSync(join(folder, "cni"));
	writeFileSync(join(folder, "cni/10-pods.conflist"), JSON.stringify(podNetwork(folder)));
	writeFileSync(join(folder, "containerd.toml"), containerd(folder));
	writeFileSync(join(folder, "kubelet.yaml"), stringify(kubelet(folder, group)));
}

export function kubeconfigOf(folder: string, name: string): string {
	return join(folder, `${name}.kubeconfig`);
}

function kubeconfig(folder: string, name: string): string {
	const server = `https://${addresses.machine}:${apiPort}`;
	return JSON.stringify({
		apiVersion: "v1",
		kind: "Config",
		clusters: [{ name: "c", cluster: { server, "certificate-authority": join(folder, "authority.pem") } }],
		users: [{ name: "u", user: { token: `token-of-${name}` } }],
		contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
		"current-context": "x",
	});
}

function podNetwork(folder: string): object {
	const ranges = [[{ subnet: addresses.pods }]];
	const ipam = { type: "host-local", dataDir: join(folder, "leases"), ranges, routes: [{ dst: "0.0.0.0/0" }] };
	const bridge = { type: "bridge", bridge: "cni0", isGateway: true, hairpinMode: true, ipam };
	return { cniVersion: "1.0.0", name: "pods", plugins: [bridge] };
}

function containerd(folder: string): string {
	return `version = 2
root = "${folder}/containerd"
state = "${folder}/containerd-state"
[grpc]
  address = "${folder}/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${nodeImage}"
  restrict_oom_score_adj = true
  disable_apparmor = true
  netns_mounts_under_state_dir = true
  stream_server_address = "127.0.0.1"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${folder}/cni"
`;
}

function kubelet(folder: string, group: string): object {
	return {
		apiVersion: "kubelet.config.k8s.io/v1beta1",
		kind: "KubeletConfiguration",
		address: addresses.machine,
		authentication: {
			anonymous: { enabled: false },
			webhook: { enabled: false },
			x509: { clientCAFile: join(folder, "authority.pem") },
		},
		authorization: { mode: "AlwaysAllow" },
		tlsCertFile: join(folder, "kubelet.pem"),
		tlsPrivateKeyFile: join(folder, "kubelet.key"),
		cgroupDriver: "cgroupfs",
		cgroupRoot: `/${group}`,
		failCgroupV1: false,
		failSwapOn: false,
		oomScoreAdj: 0,
		containerRuntimeEndpoint: `unix://${folder}/containerd.sock`,
		evictionHard: { "memory.available": "100Mi", "nodefs.available": "1%", "imagefs.available": "1%" },
		imageGCHighThresholdPercent: 100,
		imageGCLowThresholdPercent: 99,
		makeIPTablesUtilChains: false,
		resolvConf: "",
		clusterDNS: [addresses.machine],
		clusterDomain,
		podLogsDir: join(folder, "logs"),
		maxPods: 100,
	};
}
