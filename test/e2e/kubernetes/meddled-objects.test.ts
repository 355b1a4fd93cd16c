/**
 * Somebody deletes or changes objects of sessions in the cluster by hand: a session that this ends has failed with a reason, and nothing
 * is left of it but its workspace. Everything is real but machines, containers and session agents.
 * Night: a platform in three processes and a control plane take a minute to start.
 */
import { expect } from "chai";
import { label } from "#services/pod-manager/pod-runtimes/kubernetes/objects/cluster-names.ts";
import { eventually } from "../../support/eventually.ts";
import { sessionsNamespace } from "../../support/kubernetes/simulated/simulated-cluster.ts";
import { SimulatedPlatform } from "../../support/kubernetes/simulated/simulated-platform.ts";
import { convergedMs, deleted, leavesNothing, running } from "../../support/kubernetes/simulated/simulated-sessions.ts";
import { sessionReaches, type SessionView } from "../../support/platform/session-steps.ts";

const of = (plural: string) => ({ version: "v1", plural, namespace: sessionsNamespace });

describe("objects of sessions that somebody changes by hand", function () {
	this.timeout(400_000);
	let bench: SimulatedPlatform;

	before(async () => {
		bench = await SimulatedPlatform.start({ podManagers: 1 });
	});
	after(() => bench?.[Symbol.asyncDispose]());

	function fails(id: string): Promise<SessionView> {
		const api = bench.clientOf(0);
		const failed = async () => {
			const { body } = await api.get<SessionView>(`/sessions/${id}`);
			return body.status === "failed" ? body : undefined;
		};
		return eventually(failed, { withinMs: convergedMs, what: `session ${id} has failed` });
	}

	it("a pod that is deleted: POD_LOST, its workspace is there, and the next start finds it", async () => {
		const { id } = await running(bench);
		await bench.cluster.admin.delete(of("pods"), `session-${id}-g1`, {});
		expect((await fails(id)).status_reason?.code).to.equal("POD_LOST");
		await eventually(async () => (await bench.cluster.sessionObjects()).serviceaccounts.length === 0, {
			what: "the account is gone",
		});
		expect((await bench.cluster.sessionObjects()).persistentvolumeclaims).to.deep.equal([`workspace-${id}`]);
		const api = bench.clientOf(0);
		await api.post(`/sessions/${id}/start`);
		await sessionReaches(api, id, "running", convergedMs);
		await deleted(bench, id);
		await leavesNothing(bench, [id]);
	});

	it("a pod whose finalizer is taken off as well: POD_LOST", async () => {
		const { id } = await running(bench);
		const name = `session-${id}-g1`;
		await bench.cluster.admin.patch(of("pods"), name, { metadata: { finalizers: null } });
		await bench.cluster.admin.delete(of("pods"), name, { graceSeconds: 0 });
		expect((await fails(id)).status_reason?.code).to.equal("POD_LOST");
		await deleted(bench, id);
		await leavesNothing(bench, [id]);
	});

	it("an account that is deleted ends nothing, and nothing is left in the end", async () => {
		const { id } = await running(bench);
		await bench.cluster.admin.delete(of("serviceaccounts"), `session-${id}-g1`, {});
		const api = bench.clientOf(0);
		await api.post(`/sessions/${id}/stop`);
		await sessionReaches(api, id, "stopped", convergedMs);
		await deleted(bench, id);
		await leavesNothing(bench, [id]);
	});

	it("a claim that is deleted stays as long as its pod, and the session is deleted as usual", async () => {
		const { id } = await running(bench);
		await bench.cluster.admin.delete(of("persistentvolumeclaims"), `workspace-${id}`, {});
		expect((await bench.cluster.sessionObjects()).persistentvolumeclaims).to.deep.equal([`workspace-${id}`]);
		expect((await bench.clientOf(0).get<SessionView>(`/sessions/${id}`)).body.status).to.equal("running");
		await deleted(bench, id);
		await leavesNothing(bench, [id]);
	});

	it("a pod whose labels are edited is lost for its session, which fails; the pod is nobody's then", async () => {
		const { id } = await running(bench);
		const labels = { [label.session]: null, [label.installation]: null };
		await bench.cluster.admin.patch(of("pods"), `session-${id}-g1`, { metadata: { labels } });
		expect((await fails(id)).status_reason?.code).to.equal("POD_LOST");
		const pod = `session-${id}-g1`;
		await bench.cluster.admin.patch(of("pods"), pod, { metadata: { finalizers: null } });
		await bench.cluster.admin.delete(of("pods"), pod, { graceSeconds: 0 });
		await deleted(bench, id);
		await leavesNothing(bench, [id]);
	});
});
