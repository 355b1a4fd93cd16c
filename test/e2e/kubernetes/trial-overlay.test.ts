/**
 * Atelier itself in a real cluster, by the overlay for trying out as it stands: the demo passes through `kubectl port-forward`.
 * Night: the programs of a cluster take 5 to 15 minutes to build, and the images of the platform minutes.
 */
import { expect } from "chai";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { ApiClient } from "../../support/clients/api-client.ts";
import { eventually } from "../../support/eventually.ts";
import { savedImages } from "../../support/kubernetes/cluster/cluster-images.ts";
import { sessionsNamespace } from "../../support/kubernetes/cluster/clustered-platform.ts";
import { KubeCluster } from "../../support/kubernetes/cluster/kube-cluster.ts";
import { onOwnMachine } from "../../support/kubernetes/cluster/own-machine.ts";
import { runDemo } from "../../support/platform/run-demo.ts";
import { ask, runningSession } from "../../support/platform/session-steps.ts";

const system = "atelier-system";
const token = randomBytes(32).toString("hex");
const port = 8_080;
const url = `http://127.0.0.1:${port}`;

onOwnMachine(import.meta.filename, 1_200_000, () => {
	describe("Atelier in a cluster, by the overlay for trying out", function () {
		this.timeout(600_000);
		const all = new AsyncDisposableStack();
		let cluster: KubeCluster;

		before(async () => {
			cluster = all.use(await KubeCluster.start());
			for (const archive of await savedImages("session", "platform", "nats")) await cluster.load(archive);
			await cluster.makeNamespaces();
			const literals = [
				`--from-literal=ATELIER_TOKEN=${token}`,
				`--from-literal=ATELIER_INSTALLATION_KEY=${randomBytes(32).toString("base64url")}`,
			];
			await cluster.kubectl("--namespace", system, "create", "secret", "generic", "atelier", ...literals);
			await cluster.kubectl("apply", "-k", join(projectRoot, "k8s/overlays/trial"));
			const words = ["wait", "--for=condition=Available", "deployment", "--all", "--timeout=5s"];
			const isAvailable = async () => (await cluster.kubectl("--namespace", system, ...words)) !== "";
			await eventually(isAvailable, { withinMs: 180_000, everyMs: 500, what: "all deployments are available" });
			await forward();
		});
		after(() => all.disposeAsync());

		/** Makes the gateway reachable on loopback. */
		async function forward(): Promise<void> {
			const forwarding = cluster.startKubectl("--namespace", system, "port-forward", "service/gateway", `${port}:8080`);
			all.defer(() => void forwarding.kill());
			const isThere = async () => (await fetch(`${url}/ready`)).status === 200;
			await eventually(isThere, { withinMs: 30_000, everyMs: 200, what: "the gateway is ready" });
		}

		function podNames(): Promise<string> {
			return cluster.kubectl("--namespace", sessionsNamespace, "get", "pods", "--output", "name");
		}

		it("does the demo, which leaves no pod, account or volume behind", async () => {
			const { exitCode, output, sessionId } = await runDemo({ url, login: { token } });
			expect(exitCode, output).to.equal(0);
			console.log(output.replaceAll(/^/gm, "      "));
			const kinds = "pods,persistentvolumeclaims,serviceaccounts,persistentvolumes";
			const left = async () =>
				(await cluster.kubectl("--namespace", sessionsNamespace, "get", kinds, "--output", "name")).split("\n");
			await eventually(async () => !(await left()).some((name) => name.includes(sessionId)), {
				withinMs: 60_000,
				everyMs: 500,
				what: `nothing of ${sessionId} is left`,
			});
		});

		it("runs a session in a pod of its own, which does what its person asks", async () => {
			const api = new ApiClient(`${url}/api/v1/svc`, { authorization: `Bearer ${token}` });
			const { id } = await runningSession(api);
			expect(await podNames()).to.include(`session-${id}-g1`);
			expect(await ask(api, id, "$ id -u; cat /etc/resolv.conf")).to.match(/^231001\n[^]*atelier-sessions/);
			expect((await api.delete(`/sessions/${id}`)).status).to.equal(204);
			await eventually(async () => !(await podNames()).includes(id), { withinMs: 60_000, everyMs: 500 });
		});
	});
});
