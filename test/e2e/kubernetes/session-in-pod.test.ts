/**
 * Sessions in pods of a real cluster, with a platform beside it: the demo, what is there before and after it, and the time until a session runs.
 * Night: the programs of a cluster take 5 to 15 minutes to build.
 * Alone: it measures times.
 */
import { expect } from "chai";
import type { ApiClient } from "#shared/kubernetes/api/api-client.ts";
import type { KubeObject } from "#shared/kubernetes/api/kube-object.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { KubeCluster } from "../../support/kubernetes/cluster/kube-cluster.ts";
import { sessionsNamespace, startClusteredPlatform } from "../../support/kubernetes/cluster/clustered-platform.ts";
import { clusterImage, savedImages } from "../../support/kubernetes/cluster/cluster-images.ts";
import { MachineRelay } from "../../support/kubernetes/cluster/machine-relay.ts";
import { onOwnMachine } from "../../support/kubernetes/cluster/own-machine.ts";
import { eventually } from "../../support/eventually.ts";
import { runDemo } from "../../support/platform/run-demo.ts";
import { createSession, sessionReaches } from "../../support/platform/session-steps.ts";
import type { TestPlatform } from "../../support/platform/start-platform.ts";

/** The most that a session may take, as a multiple of the time of a pod, and the measured rounds. */
const [goal, rounds] = [1.5, 5];

interface PodPhase extends KubeObject {
	readonly status: { readonly phase?: string };
}

onOwnMachine(import.meta.filename, 900_000, () => {
	describe("a session in a pod of a cluster", function () {
		this.timeout(300_000);
		const all = new AsyncDisposableStack();
		let cluster: KubeCluster;
		let client: ApiClient;
		let platform: TestPlatform;

		before(async () => {
			cluster = all.use(await KubeCluster.start());
			await cluster.makeNamespaces();
			for (const archive of await savedImages("session")) await cluster.load(archive);
			client = await cluster.client();
			all.defer(() => client.close());
			const relay = all.use(new MachineRelay(cluster.address));
			const { kubeconfig } = cluster;
			platform = all.use(await startClusteredPlatform({ kubeconfig, client, relay }));
		});
		after(() => all.disposeAsync());

		/** Resolves to the names of all objects of sessions, and of volumes, which belong to no namespace. */
		async function objects(): Promise<string[]> {
			const kinds = "pods,serviceaccounts,persistentvolumeclaims,secrets,configmaps,persistentvolumes";
			const listed = await cluster.kubectl("--namespace", sessionsNamespace, "get", kinds, "--output", "name");
			return listed.split("\n").filter(Boolean).toSorted();
		}

		it("does the demo, which leaves no object behind", async () => {
			const before = await objects();
			const { exitCode, output, patch, sessionId } = await runDemo(platform);
			expect(exitCode, output).to.equal(0);
			expect(patch).to.include("+++ b/");
			expect(sessionId).to.not.equal("");
			await platform.client().delete(`/sessions/${sessionId}`);
			await eventually(async () => (await objects()).join() === before.join(), {
				withinMs: 60_000,
				everyMs: 500,
				what: `the objects are as before: ${before.join(", ")}`,
			});
		});

		it("starts a session in little more time than the cluster needs for a pod of its image", async () => {
			const [bare, mounted, whole]: [number[], number[], number[]] = [[], [], []];
			// The first of each finds the machine cold.
			for (let round = 0; round <= rounds; round++) {
				const one = await timeOfPod(`bare-${round}`);
				const other = await timeOfPod(`mounted-${round}`, await newClaim(`claim-${round}`));
				const { ms, steps } = await timeOfSession();
				if (round === 0) continue;
				bare.push(one);
				mounted.push(other);
				whole.push(ms);
				console.log(`      a pod ${one} ms, one with a new volume ${other} ms, a session ${ms} ms: ${steps}`);
			}
			const ratio = medianOf(whole) / medianOf(bare);
			const ofMounted = medianOf(whole) / medianOf(mounted);
			console.log(`      medians: a pod ${medianOf(bare)} ms, one with a new volume ${medianOf(mounted)} ms`);
			console.log(
				`      a session ${medianOf(whole)} ms, ${ratio.toFixed(2)} times a pod, ${ofMounted.toFixed(2)} times one with a volume`,
			);
			expect(ratio).to.be.below(3 * goal);
		});

		/** Makes a claim, for which the cluster makes a volume as for a session's. Resolves to the parts of a pod that waits for it. */
		async function newClaim(claimName: string): Promise<object> {
			const metadata = { name: claimName };
			const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
			await client.create(
				{ version: "v1", plural: "persistentvolumeclaims", namespace: "default" },
				{
					apiVersion: "v1",
					kind: "PersistentVolumeClaim",
					metadata,
					spec,
				},
			);
			return { volumes: [{ name: "workspace", persistentVolumeClaim: { claimName } }] };
		}

		/** Resolves to the milliseconds from `kubectl run` to a container that runs. @param spec More of the pod's specification. */
		async function timeOfPod(name: string, spec?: object): Promise<number> {
			const begun = performance.now();
			const words = ["--image", clusterImage.session, "--restart", "Never"];
			const overrides = spec === undefined ? [] : [`--overrides=${JSON.stringify({ spec })}`];
			await cluster.kubectl("run", name, ...words, ...overrides, "--command", "--", "sleep", "600");
			const pods = { version: "v1", plural: "pods", namespace: "default" };
			const runs = async () => (await client.get<PodPhase>(pods, name)).status.phase === "Running";
			await eventually(runs, { withinMs: 60_000, what: `${name} runs` });
			const ms = performance.now() - begun;
			await cluster.kubectl("delete", "pod", name, "--grace-period", "0", "--force");
			return Math.round(ms);
		}

		/** Resolves to the milliseconds from the request to a session that runs, and to those of its steps. */
		async function timeOfSession(): Promise<{ ms: number; steps: string }> {
			const api = platform.client();
			const begun = performance.now();
			const { id } = await createSession(api);
			await sessionReaches(api, id, "running", 60_000);
			const ms = Math.round(performance.now() - begun);
			const { timings } = (await api.get<Session>(`/sessions/${id}`)).body;
			await api.delete(`/sessions/${id}`);
			return { ms, steps: stepsOf(timings) };
		}
	});
});

function medianOf(values: readonly number[]): number {
	return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Returns the milliseconds after the request at which a launch reached each step. */
function stepsOf(timings: Session["timings"]): string {
	const begun = Date.parse(timings?.requested ?? "");
	return Object.entries(timings ?? {})
		.filter(([step]) => step !== "requested")
		.map(([step, time = ""]) => `${step} ${Date.parse(time) - begun}`)
		.join(", ");
}
