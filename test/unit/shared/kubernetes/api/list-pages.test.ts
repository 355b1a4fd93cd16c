import { expect } from "chai";
import type { ApiClient } from "#shared/kubernetes/api/api-client.ts";
import type { ApiError } from "#shared/kubernetes/api/api-error.ts";
import { CallPace } from "#shared/kubernetes/api/call-pace.ts";
import type { KubeObject } from "#shared/kubernetes/api/kube-object.ts";
import { failureOf } from "../../../../support/failure-of.ts";
import { FakeApi } from "../../../../support/kubernetes/fake-api.ts";
import { clientOf } from "../../../../support/kubernetes/fake-api-client.ts";

const maps = { version: "v1", plural: "configmaps", namespace: "sessions" };
const path = "/api/v1/namespaces/sessions/configmaps";
const configMap = { apiVersion: "v1", kind: "ConfigMap" };

describe("lists of objects that somebody has filled", () => {
	const bound = 100_000;
	const names = ({ metadata }: KubeObject) => metadata.name;
	let api: FakeApi;
	let bounded: ApiClient;

	beforeEach(async () => {
		api = await FakeApi.start();
		bounded = clientOf(api, undefined, bound).client;
	});
	afterEach(async () => {
		bounded.close();
		await api[Symbol.asyncDispose]();
	});

	/** Makes objects whose data have so many bytes, one after the other. */
	function fill(...bytes: number[]): string[] {
		const width = String(bytes.length).length;
		return bytes.map((count, index) => {
			const name = `agent-${String(index).padStart(width, "0")}`;
			api.cluster.create(path, {
				...configMap,
				metadata: { name, labels: { ours: "yes" } },
				data: { filling: "x".repeat(count) },
			} as never);
			return name;
		});
	}

	it("are read in smaller pages, and in larger ones again after those", async () => {
		const made = fill(...Array.from({ length: 1_000 }, (_each, index) => (index < 12 ? 20_000 : 10)));
		const { items, leftOut } = await bounded.list(maps, names);
		expect([items, leftOut]).to.deep.equal([made, undefined]);
		const limits = api.calls.map((call) => Number(/limit=(\d+)/.exec(call)?.[1]));
		expect(limits.slice(0, 4)).to.deep.equal([500, 125, 31, 7]);
		expect(Math.min(...limits)).to.equal(1);
		expect(limits.at(-1)).to.be.above(100);
		expect(limits.length).to.be.below(50);
	});

	it("have everything but an object that is too large by itself, whose name they say", async () => {
		const made = fill(10, 10, 200_000, 10, 300_000, 10);
		const { items, leftOut, resourceVersion } = await bounded.list(maps, names);
		expect(items).to.deep.equal([0, 1, 3, 5].map((index) => made[index]));
		expect(leftOut).to.deep.equal([made[2], made[4]]);
		expect(resourceVersion).to.equal(String(api.cluster.version));
	});

	it("end at a page whose very names have too many bytes, and after 400 pages", async () => {
		const answers = { status: 200, body: "x".repeat(2 * bound) };
		api.fail(`GET ${path}`, { answers, when: "before" }, 6);
		expect((await failureOf<ApiError>(bounded.list(maps, names))).reason).to.equal("AnswerTooLarge");
		expect(api.calls).to.have.length(6);
		const quick = clientOf(api, new CallPace({ perSecond: 10_000, burst: 10_000 })).client;
		const page = { metadata: { resourceVersion: "7", continue: "more" }, items: [] };
		api.fail(`GET ${path}`, { answers: { status: 200, body: page }, when: "before" }, 1_000);
		expect((await failureOf<ApiError>(quick.list(maps, names))).reason).to.equal("AnswerTooLarge");
		quick.close();
		expect(api.calls).to.have.length(406);
	});

	it("are names alone where nothing else is needed, and what is no table is refused", async () => {
		const made = fill(...Array.from({ length: 600 }, () => 10_000));
		expect(await bounded.listNames(maps, { labelSelector: "ours=yes" })).to.deep.equal(made);
		expect(api.calls).to.have.length(2);
		for (const body of [
			{ kind: "List", items: [] },
			{ kind: "Table", metadata: {}, columnDefinitions: [], rows: [] },
		]) {
			api.fail(`GET ${path}?limit`, { answers: { status: 200, body }, when: "before" });
			expect((await failureOf<ApiError>(bounded.listNames(maps))).reason).to.equal("AnswerUnreadable");
		}
	});
});
