import { expect } from "chai";
import type { PodObject } from "#services/pod-manager/pod-runtimes/kubernetes/objects/pod-object.ts";
import { WatchedPods } from "#services/pod-manager/pod-runtimes/kubernetes/watched-pods.ts";
import { collectionSource } from "#shared/kubernetes/watch/watch-source.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { eventually } from "../../../../../support/eventually.ts";
import { clientOf } from "../../../../../support/kubernetes/fake-api-client.ts";
import { FakeApi } from "../../../../../support/kubernetes/fake-api.ts";
import type { StoredObject } from "../../../../../support/kubernetes/label-selection.ts";
import { podShown, sessionId } from "../../../../../support/kubernetes/pods/pod-objects.ts";

const collection = "/api/v1/namespaces/sessions/pods";
const { name } = podShown().metadata;
const stored = (pod: PodObject): StoredObject => JSON.parse(JSON.stringify(pod));

describe("WatchedPods", () => {
	let resources: AsyncDisposableStack;
	let api: FakeApi;
	let watched: WatchedPods;
	let told: string[];

	beforeEach(async () => {
		resources = new AsyncDisposableStack();
		api = resources.use(await FakeApi.start());
		const { client } = clientOf(api);
		resources.defer(() => client.close());
		watched = new WatchedPods(
			collectionSource(client, { version: "v1", plural: "pods", namespace: "sessions" }),
			new Metrics(),
		);
		told = [];
	});
	afterEach(() => resources.disposeAsync());

	function follow(): void {
		const ending = new AbortController();
		watched.tell((session) => told.push(session), ending.signal);
		const running = watched.run(ending.signal);
		resources.defer(async () => {
			ending.abort();
			await running;
		});
	}

	function change(more: object): void {
		const object = api.cluster.get(collection, name);
		api.cluster.replace(collection, name, { ...object, ...more });
	}

	it("tells what means something to a session, and nothing else", async () => {
		follow();
		await eventually(() => watched.isFresh);
		api.cluster.create(collection, stored(podShown()));
		await eventually(() => told.length === 1, { what: "the pod is told" });
		const { status } = podShown();
		const conditions = [...(status.conditions ?? []), { type: "Initialized", status: "True" }];
		change({ status: { ...status, conditions } });
		change({ spec: { nodeName: "n8" } });
		change({ status: { ...status, podIP: "10.244.0.10" } });
		await eventually(() => watched.all()[0]?.status.podIP === "10.244.0.10");
		expect(told).to.deep.equal([sessionId, sessionId]);
	});

	it("tells nothing of what is there at first, which the first comparison of all pods looks at", async () => {
		api.cluster.create(collection, stored(podShown()));
		follow();
		await eventually(() => watched.ofSession(sessionId).length === 1);
		expect(told).to.deep.equal([]);
	});

	it("tells what has changed since somebody else has read the pods", async () => {
		const read = podShown();
		const created = api.cluster.create(collection, stored(podShown({ status: { phase: "Failed" } })));
		const { uid = "" } = created.metadata;
		watched.compareWith([{ ...read, metadata: { ...read.metadata, uid } }]);
		follow();
		await eventually(() => told.length === 1, { what: "the change is told" });
		expect(told).to.deep.equal([sessionId]);
	});
});
