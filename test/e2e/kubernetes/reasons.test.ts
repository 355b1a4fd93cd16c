/**
 * Reasons for which a session in a pod of a real cluster does not start, as a person reads them, and its way on when they are gone.
 * Night: the programs of a cluster take 5 to 15 minutes to build.
 * Alone: it measures times.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { volumeClaimName } from "#services/pod-manager/pod-runtimes/kubernetes/objects/cluster-names.ts";
import { eventually } from "../../support/eventually.ts";
import { ClusterBench } from "../../support/kubernetes/cluster/cluster-bench.ts";
import { clusterImage } from "../../support/kubernetes/cluster/cluster-images.ts";
import { sessionsNamespace } from "../../support/kubernetes/cluster/clustered-platform.ts";
import { nodeImage } from "../../support/kubernetes/cluster/node-image.ts";
import { onOwnMachine, ownMachine } from "../../support/kubernetes/cluster/own-machine.ts";
import { SlowRegistry } from "../../support/kubernetes/images/slow-registry.ts";
import { ask } from "../../support/platform/session-steps.ts";

/** The binding modes of storage classes that nobody provides. */
const bindingModes = { "at-once": "Immediate", "at-pod": "WaitForFirstConsumer" } as const;
/** An image that gets the session agent from another one, which fails to bring it. */
const deliveredImage = "docker.io/atelier/session:delivered";
/** Nothing that a pod begins reaches this machine. */
const cut = "table inet cut { chain input { type filter hook input priority -10; iifname cni0 ct state new drop; }; }";

onOwnMachine(import.meta.filename, 1_800_000, () => {
	describe("a session of a cluster that cannot start", function () {
		this.timeout(300_000);
		const all = new AsyncDisposableStack();
		let bench: ClusterBench;
		let registry: SlowRegistry;

		before(async () => {
			registry = all.use(await SlowRegistry.start());
			const folder = mkdtempSync(join(tmpdir(), "atelier-deliverer-"));
			all.defer(() => rmSync(folder, { recursive: true, force: true }));
			const deliverer = join(folder, "deliver.ts");
			writeFileSync(deliverer, 'console.error("The volume is read-only");\nprocess.exit(1);\n');
			const names = ["nowhere", ...Object.keys(bindingModes)];
			const placements = Object.fromEntries(names.map((storageClass) => [storageClass, { storageClass }]));
			const own_images = [registry.image("2"), nodeImage];
			const kwargs = { images: ["*"], own_images, max_processors: 1_000, placements };
			bench = all.use(await ClusterBench.start({ kwargs, deliverer }));
			await bench.cluster.containerd("images", "tag", clusterImage.session, deliveredImage);
		});
		after(() => all.disposeAsync());

		/** Nothing is left after each, whatever became of it. */
		function row(what: string, body: () => Promise<void>): void {
			it(what, async () => {
				try {
					await body();
				} finally {
					await bench.leavesNothing();
				}
			});
		}

		const kubectl = (...words: string[]) => bench.cluster.kubectl("--namespace", sessionsNamespace, ...words);

		row("has the registry's words for an image that is not there, and starts when it has come", async () => {
			const image = registry.image("2");
			const since = performance.now();
			const id = await bench.create({ workload_config: { image } });
			await bench.reads("no such image", id, {
				status: "provisioning",
				code: "IMAGE_PULL_FAILED",
				message: /^The image of the session is not there and cannot be had: .*others\/slow:2: not found$/,
				since,
			});
			const come = performance.now();
			await bench.cluster.containerd("images", "tag", clusterImage.session, image);
			// The kubelet looks again after 10 s, 20 s and so on.
			await bench.runs("… which comes", id, come, 90_000);
		});

		row("has the scheduler's words when it asks for more processors than a machine has", async () => {
			const since = performance.now();
			const id = await bench.create({ resource_config: { cpu: "400" } });
			await bench.reads("too many processors", id, {
				status: "provisioning",
				code: "UNSCHEDULABLE",
				message: /^No machine has what the session asks for: 0\/1 nodes are available: 1 Insufficient cpu\./,
				since,
			});
		});

		row("waits for the quota, and starts when it is raised", async () => {
			await kubectl("create", "quota", "full", "--hard", "pods=0");
			const counted = () => kubectl("get", "quota", "full", "--output", "jsonpath={.status.hard.pods}");
			await eventually(async () => (await counted()) === "0", { what: "the quota is counted" });
			const since = performance.now();
			const id = await bench.create();
			await bench.reads("full quota", id, {
				status: "starting",
				code: "QUOTA_EXCEEDED",
				message: /exceeded quota: full, requested: pods=1, used: pods=0, limited: pods=0$/,
				since,
			});
			const raised = performance.now();
			await kubectl("patch", "quota", "full", "--patch", JSON.stringify({ spec: { hard: { pods: "10" } } }));
			await bench.runs("… which is raised", id, raised);
			await kubectl("delete", "quota", "full");
		});

		row("fails when its storage class does not exist", async () => {
			const since = performance.now();
			const id = await bench.create({ workload_config: { placement: "nowhere" } });
			await bench.reads("no such storage class", id, {
				status: "failed",
				code: "WORKSPACE_PENDING",
				message: /^The cluster has not provided the volume of the workspace yet: storageclass.* "nowhere" not found$/,
				since,
			});
		});

		for (const [name, volumeBindingMode] of Object.entries(bindingModes))
			row(
				`waits for a volume that nobody provides with ${volumeBindingMode}, and starts when it is there`,
				async () => {
					const provisioner = "missing.example";
					await bench.cluster.apply({
						apiVersion: "storage.k8s.io/v1",
						kind: "StorageClass",
						metadata: { name },
						provisioner,
						volumeBindingMode,
					});
					const since = performance.now();
					const id = await bench.create({ workload_config: { placement: name } });
					await bench.reads(`no provisioner, ${volumeBindingMode}`, id, {
						status: "provisioning",
						code: "WORKSPACE_PENDING",
						message: /Waiting for a volume to be created either by the external provisioner 'missing\.example'/,
						since,
					});
					const provided = performance.now();
					await provide(id, name);
					await bench.runs("… and a volume made by hand", id, provided, 60_000);
					// It stays until the claim is gone.
					await bench.cluster.kubectl("delete", "persistentvolume", name, "--wait=false");
				},
			);

		row("fails with the last words of its init container", async () => {
			const since = performance.now();
			const id = await bench.create({ workload_config: { image: deliveredImage } });
			await bench.reads("init container fails", id, {
				status: "failed",
				code: "CONTAINER_FAILED",
				message: /: the session agent could not be brought into its image \(1\): The volume is read-only$/,
				since,
			});
		});

		row("fails with the runtime's words in an image without its first program", async () => {
			const since = performance.now();
			const id = await bench.create({ workload_config: { image: nodeImage } });
			await bench.reads("image without its first program", id, {
				status: "failed",
				code: "CONTAINER_FAILED",
				message: /^The container of the session could not be started: .*exec: "tini": executable file not found/,
				since,
			});
		});

		row("says that it cannot reach the platform, and starts when it can", async () => {
			execFileSync("nft", ["-f", "-"], { input: cut });
			const since = performance.now();
			const id = await bench.create();
			const silent = { code: "POD_CANNOT_REACH_PLATFORM", message: /^The pod runs and cannot reach the platform$/ };
			await bench.reads("no path to the platform", id, { status: "provisioning", ...silent, since, withinMs: 90_000 });
			await bench.reads("… to the end", id, { status: "failed", ...silent, since, withinMs: 200_000 });
			const again = performance.now();
			const late = await bench.create();
			await bench.reads("no path", late, { status: "provisioning", ...silent, since: again, withinMs: 90_000 });
			const there = performance.now();
			execFileSync("nft", ["delete", "table", "inet", "cut"]);
			await bench.runs("… and then there is one", late, there);
		});

		row("goes on when one of its commands uses more memory than it has", async () => {
			const since = performance.now();
			const id = await bench.create();
			await bench.runs("a session with 512 MiB", id, since);
			const eat = "$ node -e 'Buffer.alloc(1500e6, 1)' && echo whole || echo ended $?";
			expect(await ask(bench.api, id, eat)).to.include("ended 137");
			expect(await ask(bench.api, id, "$ echo still here")).to.include("still here");
		});

		/** Makes the volume of a session's claim by hand. */
		async function provide(id: string, storageClassName: string): Promise<void> {
			const path = mkdtempSync(join(ownMachine()?.folder ?? tmpdir(), "volume-"));
			chmodSync(path, 0o777);
			const isHere = { key: "kubernetes.io/hostname", operator: "In", values: ["node1"] };
			const claim = { name: volumeClaimName(id), namespace: sessionsNamespace };
			await bench.cluster.apply({
				apiVersion: "v1",
				kind: "PersistentVolume",
				metadata: { name: storageClassName },
				spec: {
					accessModes: ["ReadWriteOncePod"],
					storageClassName,
					capacity: { storage: "256Mi" },
					claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", ...claim },
					persistentVolumeReclaimPolicy: "Retain",
					nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [isHere] }] } },
					local: { path },
				},
			});
		}
	});
});
