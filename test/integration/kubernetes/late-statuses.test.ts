/**
 * Two doors of one cluster with a real API server: the write of an earlier status arrives after a later one, because the API server was
 * busy and the agent did not wait. Night: its program takes 5 to 15 minutes to build.
 */
import { expect } from "chai";
import { randomBytes } from "node:crypto";
import { BlockList } from "node:net";
import { KubernetesRuntime } from "#services/pod-manager/pod-runtimes/kubernetes.ts";
import { annotation, objectName } from "#services/pod-manager/pod-runtimes/kubernetes/objects/cluster-names.ts";
import type { ApiClient } from "#shared/kubernetes/api/api-client.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { eventually } from "../../support/eventually.ts";
import { KubeServer } from "../../support/kubernetes/kube-server.ts";
import { sessionId } from "../../support/kubernetes/pods/pod-objects.ts";
import { ApiProxy, type ApiFault } from "../../support/kubernetes/simulated/api-proxy.ts";
import { freePort } from "../../support/machine/free-port.ts";
import { podSpecFor } from "../../support/pods/memory-pods.ts";

const pods = { version: "v1", plural: "pods", namespace: "sessions" };
const installation = randomBytes(8).toString("hex");
const podToken = (id: string, generation: number) => `svcs_${id}_${generation}_${"t".repeat(43)}`;

/** A pod manager's side of the cluster. */
class Side implements AsyncDisposable {
	readonly proxy: ApiProxy;
	readonly runtime: KubernetesRuntime;
	/** The calls of its runtime, but watches. */
	readonly calls: string[] = [];
	/** Decides on writes of pods. */
	fault: () => ApiFault | undefined = () => undefined;
	readonly #door: number;
	readonly #ending = new AbortController();

	private constructor(proxy: ApiProxy, door: number, kubeconfig: string) {
		this.proxy = proxy;
		this.#door = door;
		proxy.rule = ({ method, path, isWatch }) => {
			if (!isWatch) this.calls.push(`${method} ${path.split("?")[0]}`);
			return method === "PATCH" ? this.fault() : undefined;
		};
		this.runtime = new KubernetesRuntime({
			installation,
			kubeconfig,
			namespace: "sessions",
			door_port: door,
			dataDir: "/nowhere",
			markKey: "00",
			refusedNetworks: new BlockList(),
			metrics: new Metrics(),
			platformUrl: () => "http://127.0.0.1:9/api/v1/svc",
			launches: { specOf: async () => undefined, existingOf: async (ids) => ids },
			models: { accessOf: () => undefined, modelOf: async () => "", podToken },
		});
	}

	static async open(server: KubeServer): Promise<Side> {
		const proxy = await ApiProxy.listen(server);
		const side = new Side(proxy, await freePort(), server.kubeconfig(undefined, proxy.port));
		await side.runtime.open();
		side.runtime.watch(() => {}, side.#ending.signal);
		return side;
	}

	/** Reports as the agent of a launch; resolves to the status of the answer. */
	async report(generation: number, status: object): Promise<number> {
		const answer = await fetch(`http://127.0.0.1:${this.#door}/status`, {
			method: "POST",
			headers: { authorization: `Bearer ${podToken(sessionId, generation)}` },
			body: JSON.stringify({ pid: 1, timings: {}, ...status }),
		});
		return answer.status;
	}

	/** Resolves when its watch has told the pod of the launch, so that nothing is asked for. */
	async hears(generation: number): Promise<void> {
		await eventually(async () => {
			this.calls.splice(0);
			return (await this.runtime.find(sessionId, undefined, generation)).length > 0 && this.calls.length === 0;
		});
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#ending.abort();
		await this.runtime.close();
		await this.proxy[Symbol.asyncDispose]();
	}
}

describe("statuses that overtake each other at the doors of a cluster", function () {
	this.timeout(180_000);
	const opened = new AsyncDisposableStack();
	let admin: ApiClient;
	let early: Side;
	let other: Side;
	let generation = 0;

	before(async () => {
		const server = opened.use(await KubeServer.start());
		admin = opened.adopt(await server.client(), (client) => client.close());
		early = opened.use(await Side.open(server));
		other = opened.use(await Side.open(server));
	});
	after(() => opened.disposeAsync());
	beforeEach(async () => {
		generation++;
		await other.runtime.create({ ...podSpecFor(sessionId, generation), installation });
		for (const side of [early, other]) await side.hears(generation);
	});
	afterEach(async () => {
		early.fault = () => undefined;
		await early.proxy.letGo();
		for (const pod of await other.runtime.find(sessionId)) await other.runtime.end(pod, 0);
		await admin.patch(pods, objectName({ sessionId, generation }), { metadata: { finalizers: null } });
		await eventually(async () => (await other.runtime.find(sessionId)).length === 0);
	});

	async function kept(): Promise<Record<string, unknown>> {
		const { metadata } = await admin.get(pods, objectName({ sessionId, generation }));
		return JSON.parse(metadata.annotations?.[annotation.status] ?? "{}");
	}

	function holdNext(): void {
		let count = 0;
		early.proxy.spoiled.splice(0);
		early.fault = () => (count++ === 0 ? "held" : undefined);
	}

	const isHeld = () => eventually(() => early.proxy.spoiled.length === 1, { what: "the write is held" });

	it("a write that was given up and happens after all changes nothing", async () => {
		holdNext();
		const begun = performance.now();
		const reporting = early.report(generation, { phase: "starting_agent", number: 1 });
		await isHeld();
		expect(await other.report(generation, { phase: "ready", number: 2 })).to.equal(204);
		expect(await reporting, "the agent learns that it was not kept").to.equal(503);
		expect(performance.now() - begun, "the door answers before the agent gives up").to.be.below(15_000);
		expect(await early.proxy.letGo()).to.deep.equal([422]);
		expect(await kept()).to.include({ phase: "ready", number: 2 });
		expect((await early.runtime.inventory()).troubles).to.deep.equal([
			"The status of a pod cannot be kept: The cluster has not kept it within 4 s",
		]);
		expect((await other.runtime.inventory()).troubles).to.deep.equal([]);
	});

	it("an earlier status that the door still waits with is dropped as if it was taken", async () => {
		holdNext();
		const reporting = early.report(generation, { phase: "starting_agent", number: 1 });
		await isHeld();
		expect(await other.report(generation, { phase: "ready", number: 2 })).to.equal(204);
		await early.proxy.letGo();
		expect(await reporting).to.equal(204);
		expect(await kept()).to.include({ phase: "ready", number: 2 });
	});

	it("a later status is kept although an earlier one came first meanwhile", async () => {
		holdNext();
		const reporting = early.report(generation, { phase: "ready", number: 2 });
		await isHeld();
		expect(await other.report(generation, { phase: "starting_agent", number: 1 })).to.equal(204);
		await early.proxy.letGo();
		expect(await reporting).to.equal(204);
		expect(await kept()).to.include({ phase: "ready", number: 2 });
	});

	it("each costs one call, also when it follows at once and has characters that the API server writes otherwise", async () => {
		early.calls.splice(0);
		for (let number = 1; number <= 5; number++)
			expect(
				await early.report(generation, { phase: "cloning", number, progress: `<${number} & more> \u2028` }),
			).to.equal(204);
		const path = `PATCH /api/v1/namespaces/sessions/pods/${objectName({ sessionId, generation })}`;
		expect(early.calls).to.deep.equal(Array.from({ length: 5 }, () => path));
		expect(await kept()).to.include({ number: 5 });
	});

	it("an agent of an earlier version numbers none, and its last status stays", async () => {
		for (const phase of ["starting", "cloning", "ready"])
			expect(await (phase === "cloning" ? other : early).report(generation, { phase })).to.equal(204);
		expect(await kept()).to.include({ phase: "ready" });
	});
});
