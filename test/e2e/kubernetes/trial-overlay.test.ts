/**
 * Atelier itself in a real cluster, by the overlay for trying out as it stands: the demo passes through `kubectl port-forward`.
 * Night: the programs of a cluster take 5 to 15 minutes to build, and the images of the platform minutes.
 */
import { expect } from "chai";
import { ApiClient } from "../../support/clients/api-client.ts";
import { eventually } from "../../support/eventually.ts";
import { sessionsNamespace } from "../../support/kubernetes/cluster/clustered-platform.ts";
import { onOwnMachine } from "../../support/kubernetes/cluster/own-machine.ts";
import { TrialCluster } from "../../support/kubernetes/cluster/trial-cluster.ts";
import { runDemo } from "../../support/platform/run-demo.ts";
import { ask, runningSession } from "../../support/platform/session-steps.ts";

onOwnMachine(import.meta.filename, 1_200_000, () => {
	describe("Atelier in a cluster, by the overlay for trying out", function () {
		this.timeout(600_000);
		let trial: TrialCluster;

		before(async () => (trial = await TrialCluster.start()));
		after(() => trial?.[Symbol.asyncDispose]());

		it("does the demo, which leaves no pod, account or volume behind", async () => {
			const { exitCode, output, sessionId } = await runDemo({ url: trial.url, login: { token: trial.token } });
			expect(exitCode, output).to.equal(0);
			console.log(output.replaceAll(/^/gm, "      "));
			const kinds = "pods,persistentvolumeclaims,serviceaccounts,persistentvolumes";
			const left = async () =>
				(await trial.cluster.kubectl("--namespace", sessionsNamespace, "get", kinds, "--output", "name")).split("\n");
			await eventually(async () => !(await left()).some((name) => name.includes(sessionId)), {
				withinMs: 60_000,
				everyMs: 500,
				what: `nothing of ${sessionId} is left`,
			});
		});

		it("runs a session in a pod of its own, which does what its person asks", async () => {
			const api = new ApiClient(`${trial.url}/api/v1/svc`, { authorization: `Bearer ${trial.token}` });
			const { id } = await runningSession(api);
			expect(await trial.podNames()).to.include(`session-${id}-g1`);
			expect(await ask(api, id, "$ id -u; cat /etc/resolv.conf")).to.match(/^231001\n[^]*atelier-sessions/);
			expect((await api.delete(`/sessions/${id}`)).status).to.equal(204);
			await eventually(async () => !(await trial.podNames()).includes(id), { withinMs: 60_000, everyMs: 500 });
		});
	});
});
