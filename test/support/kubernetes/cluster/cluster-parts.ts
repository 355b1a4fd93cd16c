/** The programs of a cluster on a machine of its own, in the order of their start, with their arguments. */
import { join } from "node:path";
import { addresses, apiPort, type ClusterPerson, kubeconfigOf } from "./cluster-files.ts";

export const clusterParts = [
	"etcd",
	"kube-apiserver",
	"containerd",
	"kube-controller-manager",
	"kube-scheduler",
	"kubelet",
	"kube-proxy",
] as const;

export type ClusterPart = (typeof clusterParts)[number];

const etcd = "http://127.0.0.1:2379";
const peers = "http://127.0.0.1:2380";

/** Returns the arguments of a program. @param folder The folder of the cluster. */
export function argumentsOfPart(part: ClusterPart, folder: string): string[] {
	const options = optionsOf[part](
		(name) => join(folder, name),
		(person) => kubeconfigOf(folder, person),
	);
	return Object.entries(options).map(([name, value]) => `--${name}=${value}`);
}

type Options = Readonly<Record<string, string>>;

const optionsOf: Readonly<
	Record<ClusterPart, (file: (name: string) => string, login: (person: ClusterPerson) => string) => Options>
> = {
	etcd: (file) => ({
		"data-dir": file("etcd"),
		"unsafe-no-fsync": "true",
		"listen-client-urls": etcd,
		"advertise-client-urls": etcd,
		"listen-peer-urls": peers,
		"initial-advertise-peer-urls": peers,
		"initial-cluster": `default=${peers}`,
	}),
	"kube-apiserver": (file) => ({
		"etcd-servers": etcd,
		"bind-address": "0.0.0.0",
		"advertise-address": addresses.machine,
		"secure-port": String(apiPort),
		"cert-dir": file("."),
		"tls-cert-file": file("apiserver.pem"),
		"tls-private-key-file": file("apiserver.key"),
		"token-auth-file": file("tokens.csv"),
		"authorization-mode": "Node,RBAC",
		"allow-privileged": "true",
		"service-account-issuer": "https://kubernetes.default.svc",
		"service-account-key-file": file("accounts.key"),
		"service-account-signing-key-file": file("accounts.key"),
		"service-cluster-ip-range": addresses.services,
		"kubelet-preferred-address-types": "InternalIP",
		"kubelet-certificate-authority": file("authority.pem"),
		"kubelet-client-certificate": file("kubelet-client.pem"),
		"kubelet-client-key": file("kubelet-client.key"),
	}),
	containerd: (file) => ({ config: file("containerd.toml") }),
	"kube-controller-manager": (file, login) => ({
		kubeconfig: login("controllers"),
		"bind-address": "127.0.0.1",
		"leader-elect": "false",
		"use-service-account-credentials": "true",
		"service-account-private-key-file": file("accounts.key"),
		"root-ca-file": file("authority.pem"),
		controllers: "*,-nodeipam",
	}),
	"kube-scheduler": (_file, login) => ({
		kubeconfig: login("scheduler"),
		"bind-address": "127.0.0.1",
		"leader-elect": "false",
	}),
	kubelet: (file, login) => ({
		kubeconfig: login("node"),
		config: file("kubelet.yaml"),
		"root-dir": file("kubelet"),
		"cert-dir": file("kubelet/pki"),
		"hostname-override": "node1",
		"node-ip": addresses.machine,
	}),
	"kube-proxy": (_file, login) => ({
		kubeconfig: login("admin"),
		"proxy-mode": "nftables",
		"cluster-cidr": addresses.pods,
		"hostname-override": "node1",
		"bind-address": addresses.machine,
		"conntrack-max-per-core": "0",
		"conntrack-tcp-timeout-established": "0",
		"conntrack-tcp-timeout-close-wait": "0",
	}),
};
