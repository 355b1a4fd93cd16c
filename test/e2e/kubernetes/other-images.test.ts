/**
 * Sessions of a real cluster in images of somebody else, and at places that the operator has named.
 * Night: the programs of a cluster take 5 to 15 minutes to build, and the test builds images.
 */
import { expect } from "chai";
import { volumeClaimName } from "#services/pod-manager/pod-runtimes/kubernetes/objects/cluster-names.ts";
import type { ApiClient as ClusterClient } from "#shared/kubernetes/api/api-client.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { WorkspaceView } from "#shared/contracts/workspaces/workspaces.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { eventually } from "../../support/eventually.ts";
import { savedImages } from "../../support/kubernetes/cluster/cluster-images.ts";
import { sessionsNamespace, startClusteredPlatform } from "../../support/kubernetes/cluster/clustered-platform.ts";
import { KubeCluster } from "../../support/kubernetes/cluster/kube-cluster.ts";
import { MachineRelay } from "../../support/kubernetes/cluster/machine-relay.ts";
import { onOwnMachine } from "../../support/kubernetes/cluster/own-machine.ts";
import { buildOthersImages, type OthersImage, othersImage } from "../../support/kubernetes/images/others-images.ts";
import { SlowRegistry } from "../../support/kubernetes/images/slow-registry.ts";
import { ask } from "../../support/platform/session-steps.ts";

onOwnMachine(import.meta.filename, 1_200_000, () => {
	describe("a session of a cluster", function () {
		this.timeout(180_000);
		const all = new AsyncDisposableStack();
		let cluster: KubeCluster;
		let client: ClusterClient;
		let registry: SlowRegistry;
		let api: ApiClient;
		const made: string[] = [];

		before(async function () {
			this.timeout(900_000);
			cluster = all.use(await KubeCluster.start());
			await cluster.makeNamespaces();
			for (const archive of await savedImages("session")) await cluster.load(archive);
			await buildOthersImages((archive) => cluster.load(archive));
			client = await cluster.client();
			all.defer(() => client.close());
			registry = all.use(await SlowRegistry.start());
			const relay = all.use(new MachineRelay(cluster.address));
			const placements = { default: {}, elsewhere: { nodeSelector: { pool: "none" } } };
			const { kubeconfig } = cluster;
			const kwargs = { images: ["*"], own_images: [othersImage("debian").replace(":1", ":own")], placements };
			const platform = all.use(await startClusteredPlatform({ kubeconfig, client, relay }, {}, kwargs));
			api = platform.client();
		});
		after(() => all.disposeAsync());

		const session = async (id: string) => (await api.get<Session>(`/sessions/${id}`)).body;

		/** Creates a session with settings of a preset. */
		async function created(workload_config: object): Promise<string> {
			const { body: preset, text } = await api.post<{ id: string }>("/presets", {
				name: `settings ${made.length}`,
				workload_config,
			});
			expect(preset.id, text).to.be.a("string");
			const wanted = { name: "other", agent: "builtin", preset_id: preset.id, source: { type: "git", repo: "" } };
			const { body } = await api.post<Session>("/sessions", wanted);
			made.push(body.id);
			return body.id;
		}

		/** Resolves when a session runs or has failed. */
		function decided(id: string): Promise<Session> {
			return eventually(
				async () => {
					const now = await session(id);
					return ["running", "failed"].includes(now.status) && now;
				},
				{ withinMs: 120_000, everyMs: 200, what: "the session runs or has failed" },
			);
		}

		/** Resolves to what a session waits for. */
		function waiting(id: string, code: string): Promise<string> {
			return eventually(
				async () => {
					const { status_reason: reason } = await session(id);
					return reason?.code === code && reason.message;
				},
				{ withinMs: 60_000, everyMs: 200, what: `the session waits with ${code}` },
			);
		}

		it("runs in an image of somebody else without Node.js as its usual user", async () => {
			const id = await created({ image: othersImage("debian") });
			const { status, error } = await decided(id);
			expect(status, error ?? "").to.equal("running");
			expect(await ask(api, id, "$ cat /etc/os-release; ls /usr/local/bin/node 2>&1")).to.match(
				/Debian[^]*No such file/,
			);
			const who = await ask(api, id, "$ id; whoami; echo $USER; getent passwd 231001; echo x >/etc/passwd");
			expect(who).to.match(
				/^uid=231001\(agent\) gid=231001\(agent\)[^]*\nagent\nagent\nagent:x:231001:231001::\/home\/agent:\/bin\/sh\n[^]*Read-only file system/,
			);
			expect(await ask(api, id, "$ touch /opt/atelier/x /x 2>&1; grep Cap /proc/self/status")).to.match(
				/Read-only[^]*Read-only[^]*CapEff:\t0000000000000000/,
			);
		});

		it("runs in an image without any C library", async () => {
			const id = await created({ image: othersImage("withoutLibraries") });
			const { status, error } = await decided(id);
			expect(status, error ?? "").to.equal("running");
			expect(await ask(api, id, "$ ls /lib /lib64 2>&1; whoami; git --version")).to.match(
				/No such file[^]*agent\ngit version 2\./,
			);
		});

		const lacking: readonly (readonly [OthersImage, string])[] = [
			["withoutGit", "The image has no git, which sessions need"],
			["withOldGit", "The git of the image is too old: sessions need 2.39 or later"],
			["withoutShell", "The image has no sh, which sessions need"],
		];
		for (const [image, sentence] of lacking)
			it(`says of the image ${image}: ${sentence}`, async () => {
				const { status, error, status_reason: reason } = await decided(await created({ image: othersImage(image) }));
				expect(status).to.equal("failed");
				expect(reason?.code).to.equal("CONTAINER_FAILED");
				expect(error).to.equal(sentence);
			});

		it("says that an image which was to have the agent has none", async () => {
			const own = othersImage("debian").replace(":1", ":own");
			await cluster.containerd("images", "tag", othersImage("debian"), own);
			const { error, status_reason: reason } = await decided(await created({ image: own }));
			expect(reason?.code).to.equal("CONTAINER_FAILED");
			expect(error).to.match(/^The first program of the container could not be run \(127\)$/);
		});

		it("says which image is pulled, and goes on when it has come", async () => {
			const id = await created({ image: registry.image() });
			const words = await waiting(id, "IMAGE_PULLING");
			expect(words).to.match(
				/^The image of the session is being pulled: "127\.0\.0\.1:\d+\/others\/slow:1", since 20\d\d-[\d-]+T[\d:]+Z$/,
			);
			registry.send();
			// It has no shell.
			expect((await decided(id)).error).to.equal("The image has no sh, which sessions need");
		});

		it("has the registry's words for an image that is not there, and gives it up after a minute", async () => {
			const id = await created({ image: registry.image("2") });
			expect(await waiting(id, "IMAGE_PULL_FAILED")).to.match(/others\/slow:2.*not found/);
			const { status, status_reason: reason } = await decided(id);
			expect(status).to.equal("failed");
			expect(reason?.code).to.equal("IMAGE_PULL_FAILED");
		});

		it("waits with the scheduler's words at a place that no machine has, and fails at one that is not offered", async () => {
			const id = await created({ placement: "elsewhere" });
			expect(await waiting(id, "UNSCHEDULABLE")).to.include("node(s) didn't match Pod's node affinity/selector");
			const { status, error, status_reason: reason } = await decided(await created({ placement: "nowhere" }));
			expect(status).to.equal("failed");
			expect(reason?.code).to.equal("POD_FORBIDDEN");
			expect(error).to.include(
				'the operator does not offer the placement "nowhere"; it may be one of default, elsewhere',
			);
		});

		it("tells how much is in its volume, also when no pod is there", async function () {
			this.timeout(400_000);
			const id = await created({});
			await decided(id);
			await ask(api, id, "$ dd if=/dev/urandom of=large bs=1M count=24 2>&1");
			const bytesOf = async () => {
				const path = `jsonpath={.metadata.annotations.atelier\\.dev/measured}`;
				const told = await cluster.kubectl(
					"--namespace",
					sessionsNamespace,
					"get",
					"pvc",
					volumeClaimName(id),
					"--output",
					path,
				);
				return (told === "" ? 0 : (JSON.parse(told) as { bytes: number }).bytes) >= 24 * 2 ** 20;
			};
			await eventually(bytesOf, { withinMs: 100_000, everyMs: 500, what: "the claim has the size" });
			await api.post(`/sessions/${id}/stop`, {});
			await eventually(async () => (await session(id)).status === "stopped", { withinMs: 60_000, what: "it stopped" });
			const size = await eventually(
				async () => {
					const { body } = await api.get<WorkspaceView[]>("/workspaces");
					// The size of the claim itself is shown until the one that was measured is read.
					return body.find(({ size_bytes: bytes }) => (bytes ?? 0) > 24 * 2 ** 20 && (bytes ?? 0) < 64 * 2 ** 20)
						?.size_bytes;
				},
				{ withinMs: 60_000, everyMs: 500, what: "the workspace has its size" },
			);
			expect(size).to.be.a("number");
		});

		it("leaves no object behind when it is deleted", async () => {
			for (const id of made) await api.delete(`/sessions/${id}`, { body: { cleanup: ["workspace_storage"] } });
			const kinds = "pods,serviceaccounts,persistentvolumeclaims";
			const words = ["--namespace", sessionsNamespace, "get", kinds, "--output", "name"];
			const left = async () => (await cluster.kubectl(...words)).trim() === "serviceaccount/default";
			await eventually(left, { withinMs: 100_000, everyMs: 500, what: "only the namespace's own account is there" });
		});
	});
});
