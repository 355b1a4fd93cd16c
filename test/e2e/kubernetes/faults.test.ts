/**
 * Parts of a real cluster fail, its machine is emptied or lost, and a pod is deleted by hand, with a session that runs and one that starts:
 * what a person reads, how soon, and that no workspace ever has two pods and nothing is left in the end.
 * Night: the programs of a cluster take 5 to 15 minutes to build, and its controllers wait for a minute before they give a machine up.
 * Alone: it measures times.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { sessionsNamespace } from "../../support/kubernetes/cluster/clustered-platform.ts";
import { ClusterBench } from "../../support/kubernetes/cluster/cluster-bench.ts";
import { onOwnMachine } from "../../support/kubernetes/cluster/own-machine.ts";
import { eventually } from "../../support/eventually.ts";
import { ask } from "../../support/platform/session-steps.ts";

/** The seconds for which the API of the cluster is away. */
const awaySeconds = Number(process.env["ATELIER_TEST_AWAY_S"] ?? 60);
/** Everything is as wanted so soon after a fault, in milliseconds; bounds are three times as long. */
const convergedMs = 30_000;
/** The time in which a person reads why a pod was ended, in milliseconds; a pod ends in order within 20 s. */
const toldMs = 90_000;
/** A machine without a kubelet is silent after 50 s, and one that is deleted has lost its pods after about a minute. */
const lostMs = 180_000;
const unreachable = { code: "CLUSTER_UNREACHABLE", message: /^The API of the cluster does not answer: / } as const;
const outOfService = "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute";

onOwnMachine(import.meta.filename, 1_800_000 + 1_000 * awaySeconds, () => {
	describe("sessions of a cluster", function () {
		this.timeout(600_000 + 1_000 * awaySeconds);
		const all = new AsyncDisposableStack();
		let bench: ClusterBench;

		before(async () => {
			bench = all.use(await ClusterBench.start());
		});
		after(() => all.disposeAsync());

		/** Each begins with a session that runs, with a file in its workspace, and one that starts. Nothing is left after it. */
		function row(what: string, body: (running: string, starting: string) => Promise<void>): void {
			it(what, async () => {
				try {
					const running = await bench.create();
					await bench.runs("before", running, performance.now());
					await ask(bench.api, running, "$ echo kept > file");
					await body(running, await bench.create());
				} finally {
					await bench.leavesNothing();
				}
			});
		}

		/** The session has run all the time in its one pod, and answers. */
		async function hasGoneOn(id: string, since: number): Promise<void> {
			await bench.runs("… the one that ran", id, since, 3 * convergedMs);
			await hasWorkspace(id);
			expect((await bench.session(id)).generation).to.equal(1);
			expect(bench.lives.uids.get(id)?.size).to.equal(1);
		}

		async function hasPod(id: string): Promise<void> {
			const isMade = async () => ["provisioning", "running"].includes((await bench.session(id)).status);
			await eventually(isMade, { withinMs: 3 * convergedMs, what: `session ${id} has a pod` });
		}

		async function hasWorkspace(id: string): Promise<void> {
			expect(await ask(bench.api, id, "$ cat file")).to.include("kept");
		}

		/** A session that has failed is started while no machine takes it, and runs when one does. */
		async function startsAgain(id: string, mend: () => Promise<unknown>): Promise<void> {
			const started = performance.now();
			await bench.api.post(`/sessions/${id}/start`);
			await bench.reads("… started again", id, { status: "provisioning", code: "UNSCHEDULABLE", since: started });
			const since = performance.now();
			await mend();
			await bench.runs("… and the machine takes it", id, since, lostMs);
			await hasWorkspace(id);
		}

		row("go on when the kubelet is killed and started again", async (running, starting) => {
			await bench.cluster.kill("kubelet");
			await sleep(20_000);
			expect((await bench.session(running)).status).to.equal("running");
			const since = performance.now();
			await bench.cluster.startPart("kubelet");
			await bench.runs("kubelet killed: the one that started", starting, since, 3 * convergedMs);
			await hasGoneOn(running, since);
		});

		row("fail with POD_LOST when somebody deletes their pods", async (running, starting) => {
			const since = performance.now();
			await bench.cluster.kubectl("--namespace", sessionsNamespace, "delete", "pods", "--all", "--wait=false");
			const lost = { status: "failed", code: "POD_LOST", since, withinMs: toldMs } as const;
			await bench.reads("pod deleted: one that ran", running, lost);
			const begun = performance.now();
			await bench.api.post(`/sessions/${running}/start`);
			await bench.runs("… started again", running, begun, 3 * convergedMs);
			await hasWorkspace(running);
			// It had no pod yet, or a pod that has just begun.
			await eventually(async () => ["running", "failed"].includes((await bench.session(starting)).status), {
				withinMs: toldMs,
				what: "the one that started is told",
			});
		});

		row("fail with NODE_DRAINED when their machine is drained", async (running, starting) => {
			await hasPod(starting);
			const since = performance.now();
			const drained = bench.cluster.kubectl("drain", "node1", "--force", "--delete-emptydir-data", "--timeout=180s");
			const emptied = { status: "failed", code: "NODE_DRAINED", since, withinMs: toldMs } as const;
			await bench.reads("drained: the one that ran", running, emptied);
			await bench.reads("… the one that started", starting, emptied);
			await drained;
			console.log(`      drained after ${((performance.now() - since) / 1_000).toFixed(1)} s`);
			await startsAgain(running, () => bench.cluster.kubectl("uncordon", "node1"));
		});

		row(`go on when the API of the cluster is away for ${awaySeconds} s`, async (running, starting) => {
			await hasPod(starting);
			await bench.cluster.kill("kube-apiserver");
			const killed = performance.now();
			const refused = await bench.create();
			await bench.reads("API away: one that begins", refused, { ...unreachable, status: "starting", since: killed });
			await sleep(Math.max(0, awaySeconds - 30) * 1_000);
			// Its time to start is a minute, and longer than what is left.
			const late = await bench.create();
			await hasGoneOn(running, killed);
			await sleep(Math.max(0, killed + 1_000 * awaySeconds - performance.now()));
			const since = performance.now();
			await bench.cluster.startPart("kube-apiserver");
			await hasPod(late);
			console.log(
				`      a pod was made ${((performance.now() - since) / 1_000).toFixed(1)} s after the start of the API`,
			);
			// The scheduler and the kubelet ask again after up to a minute each.
			await bench.runs("API there: the one that began late", late, since, lostMs);
			// A session has a minute to get a pod, and five to be ready.
			if (awaySeconds > 120)
				await bench.reads("… the one that began at first", refused, {
					...unreachable,
					status: "failed",
					since: killed,
				});
			if (awaySeconds < 240) await bench.runs("… the one that had a pod", starting, since, lostMs);
			await hasGoneOn(running, since);
			// Controllers that were away may find the machine silent at first, and give it up after two minutes.
			const machine = 'jsonpath={.spec.taints}{.status.conditions[?(@.type=="Ready")].status}';
			const isReady = async () => (await bench.cluster.kubectl("get", "node", "node1", "--output", machine)) === "True";
			await eventually(isReady, { withinMs: toldMs, everyMs: 500, what: "the machine is ready" });
			await hasGoneOn(running, since);
		});

		row("fail with NODE_LOST when their machine is dead and out of service", async (running, starting) => {
			await bench.runs("before", starting, performance.now());
			const dead = performance.now();
			await bench.cluster.kill("kubelet");
			const isWarned = async () => {
				const { warnings } = await bench.session(running);
				return warnings?.find((words) => words.includes("does not answer"));
			};
			const words = await eventually(isWarned, { withinMs: lostMs, everyMs: 500, what: "a person is warned" });
			console.log(`      warned after ${((performance.now() - dead) / 1_000).toFixed(1)} s: ${words}`);
			const since = performance.now();
			await bench.cluster.kubectl("taint", "node", "node1", outOfService);
			const lost = { status: "failed", code: "NODE_LOST", since, withinMs: toldMs } as const;
			await bench.reads("out of service: one that ran", running, lost);
			await bench.reads("… the other one", starting, lost);
			await startsAgain(running, async () => {
				await bench.cluster.startPart("kubelet");
				await bench.cluster.kubectl("taint", "node", "node1", `${outOfService}-`);
			});
		});

		row("fail with NODE_LOST when their machine is deleted", async (running, starting) => {
			await bench.runs("before", starting, performance.now());
			await bench.cluster.kill("kubelet");
			const since = performance.now();
			await bench.cluster.kubectl("delete", "node", "node1");
			const lost = { status: "failed", code: "NODE_LOST", since, withinMs: lostMs } as const;
			await bench.reads("machine deleted: one that ran", running, lost);
			await bench.reads("… the other one", starting, lost);
			await startsAgain(running, () => bench.cluster.startPart("kubelet"));
		});
	});
});
