/** The runtime for clusters with a real cluster and the image of sessions, for the suite of runtimes. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { BlockList } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { volumeClaimName } from "#services/pod-manager/pod-runtimes/kubernetes/objects/cluster-names.ts";
import { KubernetesRuntime } from "#services/pod-manager/pod-runtimes/kubernetes.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import type { PodWorld } from "../../../contract/pods/pod-runtime.contract.ts";
import { podSpecFor } from "../../pods/memory-pods.ts";
import { clusterImage, savedImages } from "./cluster-images.ts";
import { sessionsNamespace as namespace } from "./clustered-platform.ts";
import { KubeCluster } from "./kube-cluster.ts";

/** The port of the door that all pods ask. Other runtimes that are opened listen at the ports after it. */
const doorPort = 7_440;

export async function openCluster(): Promise<PodWorld> {
	await using all = new AsyncDisposableStack();
	const cluster = all.use(await KubeCluster.start());
	for (const archive of await savedImages("session")) await cluster.load(archive);
	await cluster.makeNamespaces();
	const dataDir = mkdtempSync(join(tmpdir(), "atelier-cluster-world-"));
	all.defer(() => rmSync(dataDir, { recursive: true, force: true }));
	const installation = randomBytes(8).toString("hex");
	const options = {
		dataDir,
		installation,
		markKey: randomBytes(16).toString("hex"),
		host: randomBytes(8).toString("hex"),
		refusedNetworks: new BlockList(),
		metrics: new Metrics(),
		platformUrl: () => `http://${cluster.address}:9/api/v1/svc`,
		launches: {
			async specOf(id: string, generation: number) {
				return { ...podSpecFor(id, generation), installation, pod_token: podToken(id, generation) };
			},
			async existingOf(ids: readonly string[]) {
				return ids;
			},
		},
		models: { accessOf: () => undefined, modelOf: async () => "", podToken },
		kubeconfig: cluster.kubeconfig,
		image: clusterImage.session,
		door_url: `http://${cluster.address}:${doorPort}`,
		memory_mb: 512,
	};
	const opened: KubernetesRuntime[] = [];
	const runtime = (): KubernetesRuntime => {
		const made = new KubernetesRuntime({ ...options, door_port: doorPort + opened.length });
		opened.push(made);
		return made;
	};
	all.defer(async () => {
		for (const each of opened) await each.close();
	});
	// It has the door of all pods.
	await runtime().open();
	const kept = all.move();
	return {
		runtime,
		async atRest() {},
		kill: ({ name }) => cluster.killContainer(namespace, name),
		hasWorkspace(sessionId) {
			const claim = volumeClaimName(sessionId);
			return cluster.kubectlNow("--namespace", namespace, "get", "pvc", claim, "--ignore-not-found") !== "";
		},
		close: () => kept.disposeAsync(),
	};
}

function podToken(sessionId: string, generation: number): string {
	return `svcs_${sessionId}_${generation}_${"t".repeat(43)}`;
}
