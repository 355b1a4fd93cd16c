/**
 * Templates as custom resources of a real API server: what it refuses, what the platform offers of the others, and what it says of them.
 * Night: its program takes 5 to 15 minutes to build.
 */
import { expect } from "chai";
import { KubernetesTemplates } from "#services/blueprints/template-sources/kubernetes.ts";
import { Templates } from "#services/blueprints/templates.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { eventually } from "../../support/eventually.ts";
import { failureOf } from "../../support/failure-of.ts";
import { badTemplates } from "../../support/kubernetes/bad-templates.ts";
import { namespace, templateResource, TemplatesCluster } from "../../support/kubernetes/templates-cluster.ts";

/** The promise is a second. */
const seenWithinMs = 3_000;

/** A process that offers the templates of a cluster. */
class Offering implements AsyncDisposable {
	readonly logged: string[] = [];
	readonly source: KubernetesTemplates;
	readonly templates: Templates;

	constructor(kubeconfig: string) {
		const log = { error: (sentence: string, cause: unknown) => void this.logged.push(`${sentence} ${String(cause)}`) };
		const host = { projectRoot, modelsFile: "config/models.yaml", metrics: new Metrics(), log };
		this.source = new KubernetesTemplates({ namespace, kubeconfig, ...host });
		this.templates = new Templates(this.source, log);
	}

	static async open(kubeconfig: string): Promise<Offering> {
		const offering = new Offering(kubeconfig);
		await offering.source.open();
		return offering;
	}

	async names(): Promise<string> {
		const all = await this.templates.all();
		return all.map(({ name }) => name).join();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.source.close();
	}
}

describe("Templates as custom resources of a real API server", function () {
	this.timeout(180_000);
	let cluster: TemplatesCluster;
	before(async () => {
		cluster = await TemplatesCluster.start();
	});
	after(() => cluster[Symbol.asyncDispose]());
	afterEach(() => cluster.clear());

	it("are of a form that the server finds right, and are listed with what is said of them", async () => {
		const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/sessiontemplates.atelier.dev";
		const { body } = await cluster.requests.send({ method: "GET", path });
		const { conditions } = body["status"] as { conditions: { type: string; status: string }[] };
		const found = Object.fromEntries(conditions.map(({ type, status }) => [type, status]));
		expect(found).to.deep.include({ NamesAccepted: "True", Established: "True" });
		expect(found["NonStructuralSchema"] ?? "False").to.equal("False");
	});

	it("are refused by the server where its schema or a rule says so, in the words of the rule", async () => {
		const wrong: string[] = [];
		for (const { what, spec, sentence } of badTemplates) {
			const { status, body } = await cluster.tryToWrite("bad", spec);
			if (status !== 422 || (sentence !== undefined && !body.message?.includes(sentence)))
				wrong.push(`${what}: ${status} ${body.message}`);
		}
		expect(badTemplates).to.have.length.above(29);
		expect(wrong).to.deep.equal([]);
		const { status, body } = await cluster.tryToWrite("a".repeat(64), {});
		expect([status, body.message]).to.satisfy(([code, message]: [number, string]) => {
			return code === 422 && message.includes("the name of a template has at most 63 characters");
		});
		expect((await cluster.tryToWrite("misspelt", { setupScript: [] })).status).to.equal(400);
	});

	it("are offered with all of their members, under the platform's names for them", async () => {
		await using offering = await Offering.open(await cluster.kubeconfigOf());
		const repos = [{ url: "https://git.example/acme/engine", branch: "main", path: "engine" }];
		const server = {
			name: "tickets",
			type: "http",
			url: "https://tickets.example/mcp",
			headers: { accept: "text/plain" },
		};
		await cluster.write("full", {
			description: "One service",
			repos,
			setupScripts: ["npm ci"],
			workspaceLayout: { root: "engine" },
			isDefault: true,
			workloadType: "review",
			model: "claude-sonnet-4-6",
			systemPrompt: "Be brief.",
			resourceConfig: { cpu: 2, memory: "4Gi", disk: "20Gi", gpu: 1, gpuType: "A100" },
			mcpServers: [server],
			envVars: { NODE_ENV: "development" },
			envSecretRefs: ["one"],
			workloadConfig: { agent: "builtin", permissionMode: "ask", egress: "restricted", egressHosts: [".example.org"] },
			sessionDefinition: "one",
		});
		const [offered] = await eventually(async () => {
			const all = await offering.templates.all();
			return all.length === 1 && all;
		});
		expect(offered).to.deep.equal({
			name: "full",
			description: "One service",
			repos,
			setup_scripts: ["npm ci"],
			workspace_layout: { root: "engine" },
			is_default: true,
			workload_type: "review",
			model: "claude-sonnet-4-6",
			system_prompt: "Be brief.",
			resource_config: { cpu: 2, memory: "4Gi", disk: "20Gi", gpu: 1, gpu_type: "A100" },
			mcp_servers: [server],
			env_vars: { NODE_ENV: "development" },
			env_secret_refs: ["one"],
			workload_config: {
				agent: "builtin",
				permission_mode: "ask",
				egress: "restricted",
				egress_hosts: [".example.org"],
			},
			session_definition: "one",
		});
		await eventually(async () => (await cluster.told("full")) === "True Accepted: The platform offers this template");
		const { body } = await cluster.requests.send({
			method: "GET",
			path: `/apis/atelier.dev/v1alpha1/namespaces/${namespace}/sessiontemplates`,
			accept: "application/json;as=Table;v=v1;g=meta.k8s.io",
		});
		const columns = body["columnDefinitions"] as { name: string; priority: number }[];
		const [row] = body["rows"] as { cells: unknown[] }[];
		const shown = columns.map(({ name, priority }, index) => [name, priority, row?.cells[index]]);
		expect(shown.slice(0, 4)).to.deep.equal([
			["Name", 0, "full"],
			["Accepted", 0, "True"],
			["Default", 0, true],
			["Image", 1, null],
		]);
	});

	it("are offered within a second of each change", async () => {
		await using offering = await Offering.open(await cluster.kubeconfigOf());
		await offering.templates.all();
		const times: number[] = [];
		const timed = async (change: Promise<unknown>, isSeen: () => Promise<boolean>): Promise<void> => {
			await change;
			const from = performance.now();
			await eventually(isSeen, { everyMs: 5, withinMs: seenWithinMs });
			times.push(performance.now() - from);
		};
		const described = async (description: string) => (await offering.templates.all())[0]?.description === description;
		for (let turn = 1; turn <= 34; turn++) {
			await timed(cluster.write("one", { description: `${turn}` }), () => described(`${turn}`));
			await timed(cluster.write("one", { description: `again ${turn}` }), () => described(`again ${turn}`));
			await timed(cluster.remove("one"), async () => (await offering.templates.all()).length === 0);
		}
		const slowest = times.toSorted((one, other) => other - one)[1] ?? 0;
		expect(times).to.have.length(102);
		expect(slowest, "the 99th percentile").to.be.below(seenWithinMs);
	});

	it("are not offered for what the server cannot know, which their condition says, and are as soon as that is right", async () => {
		await using offering = await Offering.open(await cluster.kubeconfigOf());
		await cluster.write("agent", { workloadConfig: { agent: "nobody" } });
		await cluster.write("first", { isDefault: true });
		await cluster.write("host", { workloadConfig: { egress: "restricted", egressHosts: ["no host"] } });
		await cluster.write("model", { model: "nothing-5" });
		await cluster.write("second", { isDefault: true });
		await cluster.write("variable", { envVars: { PATH: "a-secret" } });
		const told = {
			agent: /^False UnknownAgent: There is no coding agent "nobody"; known: builtin, /,
			first: /^True Accepted: The platform offers this template$/,
			host: /^False InvalidMember: spec\.workloadConfig\.egressHosts: The egress_hosts of workload_config has to be a list of at most /,
			model: /^False UnknownModel: There is no model "nothing-5"/,
			second:
				/^False SecondDefault: The template "first" is the default of the type "session" already; of several, the first by name is offered$/,
			variable: /^False InvalidMember: spec\.envVars: The variable "PATH" cannot be set, because /,
		};
		for (const [name, line] of Object.entries(told))
			await eventually(async () => line.test((await cluster.told(name)) ?? ""), { what: `${name}: ${line.source}` });
		expect(await offering.names()).to.equal("first");
		expect(String(await failureOf(offering.templates.named("second")))).to.include(
			'Template "second" cannot be used. Template "second" of the cluster: The template "first" is the default',
		);
		expect(offering.logged.filter((line) => line.includes("a-secret"))).to.deep.equal([]);
		// The first default is removed, so that the second one is the only one.
		await cluster.remove("first");
		await cluster.write("model", { model: "claude-sonnet-4-6" });
		const accepted = (name: string) => async () => (await cluster.told(name))?.startsWith("True");
		await eventually(accepted("second"));
		await eventually(accepted("model"));
		expect(await offering.names()).to.equal("model,second");
	});

	it("stay while the API is away, and are those of the cluster when it is back", async () => {
		await using offering = await Offering.open(await cluster.kubeconfigOf());
		await cluster.write("one", {});
		await cluster.write("two", {});
		await eventually(async () => (await offering.names()) === "one,two");
		await cluster.server.killApi();
		try {
			await eventually(() => offering.logged.some((line) => /cannot be followed.*offered$/.test(line)));
			expect(await offering.names()).to.equal("one,two");
			await offering.source.check();
		} finally {
			await cluster.startApi();
		}
		await cluster.remove("one");
		await cluster.write("three", {});
		await eventually(async () => (await offering.names()) === "three,two", { withinMs: 90_000 });
		await eventually(async () => (await cluster.told("three"))?.startsWith("True"), { withinMs: 30_000 });
	});

	it("are offered without the right to say so, which the log has once", async () => {
		const role = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles/templates`;
		const { body } = await cluster.requests.send({ method: "GET", path: role });
		const rules = body["rules"] as { resources: string[] }[];
		const reading = rules.filter(({ resources }) => !resources.includes("sessiontemplates/status"));
		expect(reading).to.have.length(rules.length - 1);
		await cluster.requests.send({
			method: "PUT",
			path: role,
			body: { ...body, metadata: { name: "templates" }, rules: reading },
		});
		try {
			await using offering = await Offering.open(await cluster.kubeconfigOf());
			await cluster.write("one", {});
			await cluster.write("two", {});
			await eventually(async () => (await offering.names()) === "one,two");
			await eventually(() => offering.logged.some((line) => line.includes("lacks the right to say in their status")));
			await cluster.write("three", {});
			await eventually(async () => (await offering.names()) === "one,three,two");
			expect(offering.logged).to.have.length(1);
			expect(await cluster.told("three")).to.equal(undefined);
		} finally {
			await cluster.requests.send({ method: "PUT", path: role, body: { ...body, metadata: { name: "templates" } } });
		}
	});

	it("are refused with the reason while the platform may not list them", async () => {
		await using offering = await Offering.open(await cluster.kubeconfigOf("default"));
		const failure = await failureOf(offering.templates.all());
		expect(failure).to.include({ code: 503 });
		expect(String(failure)).to.include(
			'The platform lacks the right to list sessiontemplates.atelier.dev in the namespace "atelier-system"',
		);
		expect(String(await failureOf(offering.source.check()))).to.include("lacks the right to list");
		expect(offering.logged[0])
			.to.include("lacks the right to list")
			.and.to.match(/There are none yet$/);
	});

	it("have a condition that several processes write once, and no more", async () => {
		const kubeconfig = await cluster.kubeconfigOf();
		await using one = await Offering.open(kubeconfig);
		await using other = await Offering.open(kubeconfig);
		for (let each = 0; each < 20; each++) await cluster.write(`template-${each}`, {});
		for (let each = 0; each < 20; each++)
			await eventually(async () => (await cluster.told(`template-${each}`))?.startsWith("True"));
		const versions = async () => {
			const { items } = await cluster.admin.list(templateResource, ({ metadata }) => metadata);
			return items
				.filter(({ name }) => name.startsWith("template-"))
				.map(({ name, resourceVersion }) => `${name} ${resourceVersion}`);
		};
		const before = await versions();
		// Each pass looks at all objects, so that one of each process that follows would write them again.
		await cluster.write("template-last", { model: "nothing-5" });
		await eventually(async () => (await cluster.told("template-last"))?.startsWith("False"));
		await cluster.write("template-last", {});
		await eventually(async () => (await cluster.told("template-last"))?.startsWith("True"));
		await eventually(async () => (await one.names()) === (await other.names()));
		expect((await versions()).filter((line) => !line.startsWith("template-last"))).to.deep.equal(before);
	});
});
