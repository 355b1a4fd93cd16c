/**
 * Templates of a real API server, from outside: people list them, and a session uses one. The platform starts while the API is away.
 * Night: the program of the API takes 5 to 15 minutes to build.
 */
import { expect } from "chai";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { Template } from "#shared/contracts/templates.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { eventually } from "../../support/eventually.ts";
import { namespace, TemplatesCluster } from "../../support/kubernetes/templates-cluster.ts";
import { ask, sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

const adapter = "services/blueprints/template-sources/kubernetes.ts#KubernetesTemplates";
/** The promise is a second. */
const seenWithinMs = 3_000;

describe("templates of a cluster, seen by people", function () {
	this.timeout(240_000);
	let cluster: TemplatesCluster;
	let platform: TestPlatform;
	let api: ApiClient;

	before(async () => {
		cluster = await TemplatesCluster.start();
		const kubeconfig = await cluster.kubeconfigOf();
		await cluster.write("greeting", { envVars: { GREETING: "hello" } });
		await cluster.server.killApi();
		const templates = { adapter, kwargs: { namespace, kubeconfig } };
		platform = await startPlatform({ config: { templates }, readyAt: "/health" });
		api = platform.client();
	});

	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		await cluster?.[Symbol.asyncDispose]();
	});

	const ready = async () => {
		const answer = await fetch(`${platform.url}/ready`);
		return `${answer.status} ${await answer.text()}`;
	};
	const names = async (): Promise<string> => {
		const { status, body, text } = await api.get<Template[]>("/templates");
		expect(status, text).to.equal(200);
		return body.map(({ name }) => name).join();
	};

	it("are not there while the API was away from the start, which `/ready` says, and everything else works", async () => {
		await eventually(
			async () => /^503 .*templates: The cluster's sessiontemplates\.atelier\.dev in/.test(await ready()),
			{
				withinMs: 60_000,
			},
		);
		await eventually(async () => (await api.get("/sessions")).status === 200, { withinMs: 60_000 });
		const { status, text } = await api.get("/templates");
		expect(status).to.equal(503);
		expect(text).to.include("cannot be followed");
		const { body } = await api.post<Session>("/sessions", { name: "without" });
		await sessionReaches(api, body.id, "running");
		expect((await api.delete(`/sessions/${body.id}`)).status).to.equal(204);
		expect(platform.processes.some(({ hasEnded }) => hasEnded)).to.equal(false);
	});

	it("are there when the API is, and a session uses one", async () => {
		await cluster.startApi();
		await eventually(async () => (await ready()).startsWith("200"), { withinMs: 90_000 });
		expect(await names()).to.equal("greeting");
		const { status, text, body } = await api.post<Session>("/sessions", { name: "one", template_name: "greeting" });
		expect(status, text).to.equal(201);
		await sessionReaches(api, body.id, "running");
		expect(await ask(api, body.id, "$ echo $GREETING")).to.equal("hello\n");
		expect((await api.delete(`/sessions/${body.id}`)).status).to.equal(204);
	});

	it("are seen as they are within a second of a change, and refused by the sentence of their condition", async () => {
		await cluster.write("another", { description: "first" });
		await eventually(async () => (await names()) === "another,greeting", { withinMs: seenWithinMs });
		await cluster.write("another", { description: "second" });
		const second = async () => (await api.get<Template>("/templates/another")).body.description === "second";
		await eventually(second, { withinMs: seenWithinMs });
		await cluster.write("another", { model: "nothing-5" });
		await eventually(async () => (await names()) === "greeting", { withinMs: seenWithinMs });
		const { status, text } = await api.post("/sessions", { name: "two", template_name: "another" });
		expect(status).to.equal(422);
		expect(text).to.include('There is no model \\"nothing-5\\"');
		await eventually(async () => (await cluster.told("another"))?.startsWith("False UnknownModel"));
		await cluster.remove("another");
		await eventually(async () =>
			(await api.get<{ detail?: string }>("/templates/another")).text.includes("does not exist"),
		);
	});

	it("stay while the API is away", async () => {
		await cluster.server.killApi();
		await eventually(() => platform.output.includes("The templates that were there last are offered"), {
			withinMs: 30_000,
		});
		expect(await names()).to.equal("greeting");
		expect(await ready()).to.match(/^200/);
		const { status } = await api.post<Session>("/sessions", { name: "three", template_name: "greeting" });
		expect(status).to.equal(201);
	});
});
