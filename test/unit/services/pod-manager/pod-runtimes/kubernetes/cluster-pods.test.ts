import { expect } from "chai";
import { ClusterPods, type KeptPods } from "#services/pod-manager/pod-runtimes/kubernetes/cluster-pods.ts";
import type { PodObject } from "#services/pod-manager/pod-runtimes/kubernetes/objects/pod-object.ts";
import { SessionObjects } from "#services/pod-manager/pod-runtimes/kubernetes/objects/session-objects.ts";
import { clientOf } from "../../../../../support/kubernetes/fake-api-client.ts";
import { FakeApi } from "../../../../../support/kubernetes/fake-api.ts";
import { podShown, sessionId } from "../../../../../support/kubernetes/pods/pod-objects.ts";

const newest = { sessionId, generation: 1 };

/** The pods that a watch has kept, as a test says it. */
class Kept implements KeptPods {
	isFresh = false;
	pods: readonly PodObject[] = [];
	compared: readonly PodObject[] | undefined;

	ofSession(): readonly PodObject[] {
		return this.pods;
	}

	all(): readonly PodObject[] {
		return this.pods;
	}

	compareWith(pods: readonly PodObject[]): void {
		this.compared = pods;
	}
}

describe("ClusterPods", () => {
	let resources: AsyncDisposableStack;
	let api: FakeApi;
	let kept: Kept;
	let pods: ClusterPods;

	beforeEach(async () => {
		resources = new AsyncDisposableStack();
		api = resources.use(await FakeApi.start());
		const { client } = clientOf(api);
		resources.defer(() => client.close());
		kept = new Kept();
		pods = new ClusterPods(new SessionObjects(client, "sessions", "one"), kept);
	});
	afterEach(() => resources.disposeAsync());

	it("asks the cluster once in a pass that has changed nothing, and anew after a change", async () => {
		const { signal } = new AbortController();
		expect(await pods.ofSession(newest, signal)).to.deep.equal([]);
		expect(await pods.foundNow(sessionId, signal)).to.deep.equal([]);
		expect(api.calls).to.have.length(1);
		pods.changing(signal);
		await pods.foundNow(sessionId, signal);
		await pods.foundNow(sessionId);
		expect(api.calls).to.have.length(3);
	});

	it("does not take the reading of one session for another, or of another pass", async () => {
		const { signal } = new AbortController();
		await pods.ofSession(newest, signal);
		await pods.foundNow("another", signal);
		await pods.foundNow(sessionId, new AbortController().signal);
		expect(api.calls).to.have.length(3);
	});

	it("asks the cluster for what was not kept, so that a cache never says that there is no pod", async () => {
		kept.isFresh = true;
		await pods.ofSession(newest);
		expect(api.calls).to.have.length(1);
		kept.pods = [podShown()];
		expect(await pods.ofSession(newest)).to.have.length(1);
		expect(api.calls).to.have.length(1);
		kept.isFresh = false;
		expect(await pods.ofSession(newest)).to.deep.equal([]);
	});

	it("asks the cluster when the newest launch is none of those whose pods were kept, which may all be of the past", async () => {
		kept.isFresh = true;
		kept.pods = [podShown()];
		expect(await pods.ofSession({ sessionId, generation: 2 })).to.deep.equal([]);
		expect(await pods.ofSession({ sessionId })).to.deep.equal([]);
		expect(api.calls).to.have.length(2);
	});

	it("takes all pods from what is kept while the cluster is heard, and lets a watch that begins compare", async () => {
		expect(await pods.all()).to.deep.equal([]);
		expect([api.calls.length, kept.compared]).to.deep.equal([1, []]);
		kept.isFresh = true;
		kept.pods = [podShown()];
		expect((await pods.all()).map(({ sessionId: id }) => id)).to.deep.equal([sessionId]);
		pods.removed(podShown());
		expect(await pods.all()).to.deep.equal([]);
		expect(api.calls).to.have.length(1);
	});
});
