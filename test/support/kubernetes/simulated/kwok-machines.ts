/**
 * Machines of KWOK, with the scheduler and the controllers of a real control plane. Nobody makes volumes, so the scheduler does not
 * wait for them. Needs: kube-controller-manager. Needs: kube-scheduler. Needs: kwok.
 */
import { join } from "node:path";
import type { ApiClient } from "#shared/kubernetes/api/api-client.ts";
import type { KubeObject } from "#shared/kubernetes/api/kube-object.ts";
import { eventually } from "../../eventually.ts";
import { freePort } from "../../machine/free-port.ts";
import { argumentsOf, type KubeServer } from "../kube-server.ts";
import type { StartMachines } from "./simulated-cluster.ts";

/** The controllers that a pod without an owner meets. */
const controllers = [
	"namespace-controller",
	"serviceaccount-controller",
	"persistentvolumeclaim-protection-controller",
	"pod-garbage-collector-controller",
	"node-lifecycle-controller",
	"taint-eviction-controller",
];
const withoutVolumes = ["VolumeBinding", "VolumeZone", "NodeVolumeLimits"].map((name) => ({ name }));
const size = { cpu: "1k", memory: "8Ti", pods: "300", "ephemeral-storage": "8Ti" };
const nodes = { version: "v1", plural: "nodes" };

interface Node extends KubeObject {
	readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** @param count The machines, of which each takes 300 pods. */
export function kwokMachines(count: number): StartMachines {
	return async (server, admin) => {
		await makeObjects(admin, count);
		await startPrograms(server);
		await eventually(() => areReady(admin, count), { withinMs: 60_000, what: "the machines of KWOK are ready" });
		// The server ends the programs.
		return { [Symbol.asyncDispose]: async () => {} };
	};
}

async function makeObjects(admin: ApiClient, count: number): Promise<void> {
	const node = (n: number) => ({
		kind: "Node",
		metadata: { name: `simulated-${n}` },
		status: { allocatable: size, capacity: size },
	});
	await Promise.all(Array.from({ length: count }, (_, n) => admin.create(nodes, node(n))));
	const classes = { group: "storage.k8s.io", version: "v1", plural: "storageclasses" };
	await admin.create(classes, {
		kind: "StorageClass",
		metadata: { name: "none", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
		provisioner: "kubernetes.io/no-provisioner",
		volumeBindingMode: "WaitForFirstConsumer",
	});
}

async function startPrograms(server: KubeServer): Promise<void> {
	const kubeconfig = server.kubeconfig("token-of-the-admin");
	const served = async () => ({ "bind-address": "127.0.0.1", "secure-port": String(await freePort()) });
	const managing = { kubeconfig, "kube-api-qps": "2000", "kube-api-burst": "2000", "leader-elect": "false" };
	const some = { controllers: controllers.join(",") };
	server.run("kube-controller-manager", argumentsOf({ ...managing, ...(await served()), ...some }));
	const config = server.write("scheduler.json", {
		apiVersion: "kubescheduler.config.k8s.io/v1",
		kind: "KubeSchedulerConfiguration",
		clientConnection: { kubeconfig, qps: 2_000, burst: 2_000 },
		leaderElection: { leaderElect: false },
		profiles: [{ schedulerName: "default-scheduler", plugins: { multiPoint: { disabled: withoutVolumes } } }],
	});
	server.run("kube-scheduler", argumentsOf({ config, ...(await served()) }));
	const simulating = {
		kubeconfig,
		config: join(import.meta.dirname, "simulated-nodes.yaml"),
		"manage-all-nodes": "true",
		"node-lease-duration-seconds": "40",
		cidr: "10.64.0.1/12",
		"server-address": `127.0.0.1:${await freePort()}`,
	};
	server.run("kwok", argumentsOf(simulating));
}

async function areReady(admin: ApiClient, count: number): Promise<boolean> {
	const isReady = ({ status }: Node) =>
		status?.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True") ?? false;
	const { items } = await admin.list<Node, boolean>(nodes, isReady);
	return items.filter(Boolean).length === count;
}
