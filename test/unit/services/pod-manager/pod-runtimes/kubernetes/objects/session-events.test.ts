import { expect } from "chai";
import { SessionEvents } from "#services/pod-manager/pod-runtimes/kubernetes/objects/session-events.ts";
import { turnClock } from "#shared/base/clock.ts";
import type { ApiClient, FirstQuery } from "#shared/kubernetes/api/api-client.ts";
import type { KubeObject } from "#shared/kubernetes/api/kube-object.ts";
import type { Resource } from "#shared/kubernetes/api/resource.ts";

describe("SessionEvents", () => {
	let at: number;
	let turnBack: () => void;
	let asked: FirstQuery[];
	let events: SessionEvents;
	/** The milliseconds that the cluster takes for an answer. */
	let takesMs: number;
	let answered: KubeObject[];

	beforeEach(() => {
		[at, takesMs, asked, answered] = [1_000_000, 10, [], []];
		turnBack = turnClock({ now: () => at, monotonic: () => at });
		const api: Pick<ApiClient, "first"> = {
			async first<T extends KubeObject>(_resource: Resource, query: FirstQuery) {
				asked.push(query);
				at += takesMs;
				// The reader asks for objects of this form.
				return answered as readonly KubeObject[] as T[];
			},
		};
		events = new SessionEvents(api, "sessions");
	});
	afterEach(() => turnBack());

	it("are asked for by the object that they are about, with a bound of their number, their bytes and the time", async () => {
		await events.ofPod("uid-1");
		await events.ofClaim("workspace-1");
		const bounds = { count: 200, maxBytes: 1_048_576, withinMs: 1_500 };
		expect(asked).to.deep.equal([
			{ fieldSelector: "involvedObject.uid=uid-1", ...bounds },
			{ fieldSelector: "involvedObject.kind=PersistentVolumeClaim,involvedObject.name=workspace-1", ...bounds },
		]);
	});

	it("are the fifty newest ones, the newest first", async () => {
		answered = Array.from({ length: 120 }, (_each, index) => ({
			metadata: { name: `e.${String(index).padStart(3, "0")}` },
			lastTimestamp: new Date(1_700_000_000_000 + 60_000 * (index % 2)).toISOString(),
			reason: String(index),
		}));
		const found = await events.ofPod("uid-1");
		expect(found?.map(({ reason }) => Number(reason))).to.deep.equal(Array.from({ length: 50 }, (_, n) => 119 - 2 * n));
	});

	it("take a fifth of the time at most, however long the cluster looks for them", async () => {
		takesMs = 1_500;
		const begun = at;
		let read = 0;
		while (at < begun + 600_000) {
			if (await events.ofPod("uid-1")) read += takesMs;
			at += 100;
		}
		expect(read / (at - begun)).to.be.within(0.15, 0.22);
	});

	it("are read of 400 pods at once where the cluster is quick", async () => {
		const found = await Promise.all(Array.from({ length: 400 }, (_each, index) => events.ofPod(String(index))));
		expect(found.every((each) => each !== undefined)).to.equal(true);
	});
});
