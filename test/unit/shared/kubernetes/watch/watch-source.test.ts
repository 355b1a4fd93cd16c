/** A watch loop over HTTPS: bookmarks, connections that break or stay silent, and a server that is started again. */
import { expect } from "chai";
import type { ApiClient } from "#shared/kubernetes/api/api-client.ts";
import type { KubeObject } from "#shared/kubernetes/api/kube-object.ts";
import { collectionSource } from "#shared/kubernetes/watch/watch-source.ts";
import { WatchLoop } from "#shared/kubernetes/watch/watch-loop.ts";
import type { WatchTimes } from "#shared/kubernetes/watch/watch-times.ts";
import { eventually } from "../../../../support/eventually.ts";
import { FakeApi } from "../../../../support/kubernetes/fake-api.ts";
import { clientOf, type TestAccess } from "../../../../support/kubernetes/fake-api-client.ts";

const maps = { version: "v1", plural: "configmaps", namespace: "sessions" };
const path = "/api/v1/namespaces/sessions/configmaps";
/** Failures are over in milliseconds here. */
const quick: Partial<WatchTimes> = { firstWaitMs: 20, longestWaitMs: 100, shortestMs: 0 };

describe("A watch over HTTPS", function () {
	this.timeout(30_000);

	let api: FakeApi;
	let client: ApiClient;
	let access: TestAccess;
	let ending: AbortController;
	let loop: WatchLoop<KubeObject, string>;
	let run: Promise<void>;
	let changes: string[];

	async function begin(times: Partial<WatchTimes> = {}): Promise<void> {
		loop = new WatchLoop<KubeObject, string>({
			source: collectionSource(client, maps, "ours=yes"),
			kind: "configmaps",
			project: ({ metadata }) => metadata.name,
			onChange: (name) => changes.push(name),
			times: { ...quick, ...times },
		});
		run = loop.run(ending.signal);
		await eventually(() => api.watches === 1);
	}

	function put(name: string, ours = "yes"): void {
		const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels: { ours } } };
		try {
			api.cluster.replace(path, name, object);
		} catch {
			api.cluster.create(path, object);
		}
	}

	function lists(): number {
		return api.calls.filter((call) => call.includes("limit=")).length;
	}

	beforeEach(async () => {
		api = await FakeApi.start();
		({ client, access } = clientOf(api));
		ending = new AbortController();
		changes = [];
	});

	afterEach(async () => {
		ending.abort();
		await run;
		client.close();
		await api[Symbol.asyncDispose]();
	});

	it("tells what is there, what changes, and what leaves the selection", async () => {
		put("one");
		await begin();
		expect(loop.list()).to.deep.equal(["one"]);
		put("two");
		put("three", "no");
		put("one", "no");
		await eventually(() => loop.list().join() === "two");
		api.cluster.delete(path, "two");
		await eventually(() => loop.list().length === 0);
		expect(changes).to.deep.equal(["one", "two", "one", "two"]);
		expect(lists()).to.equal(1);
	});

	it("asks for bookmarks, so that it goes on from them when the server has forgotten what was before", async () => {
		await begin();
		const { seenByteAt } = loop;
		api.cluster.touch(100);
		api.bookmark();
		await eventually(() => loop.seenByteAt > seenByteAt);
		api.cluster.compact();
		api.endWatches();
		await eventually(() => api.watches === 1 && api.calls.length === 3);
		expect(lists()).to.equal(1);
	});

	it("goes on after a broken connection with what was told meanwhile", async () => {
		await begin();
		api.endWatches("reset");
		await eventually(() => api.watches === 0);
		put("meanwhile");
		await eventually(() => loop.list().join() === "meanwhile");
		expect(lists()).to.equal(1);
	});

	it("leaves a connection on which nothing comes", async () => {
		await begin({ silenceMs: 200 });
		await eventually(() => api.calls.filter((call) => call.includes("watch=true")).length >= 3);
		expect(api.watches).to.be.at.most(1);
		await eventually(() => lists() === 2);
	});

	it("lists when a server that was started again has forgotten the state, and asks no more often than it may", async () => {
		await begin();
		const { port } = api;
		await api.stop();
		put("meanwhile");
		api.cluster.compact();
		await eventually(() => loop.trouble !== undefined);
		await api.listen(port);
		await eventually(() => loop.list().join() === "meanwhile" && loop.trouble === undefined);
	});

	it("reads the token again when the server does not know it", async () => {
		access.tokens = ["token-of-the-platform", "token-after-rotation"];
		await begin();
		api.tokens.clear();
		api.tokens.add("token-after-rotation");
		api.endWatches("reset");
		await eventually(() => api.watches === 1 && access.renewals > 0);
	});

	it("has every object but one that is too large to be read, and says which one", async () => {
		client.close();
		({ client } = clientOf(api, undefined, 20_000));
		const metadata = { name: "filled", labels: { ours: "yes" } };
		const data = { filling: "x".repeat(40_000) };
		api.cluster.create(path, { apiVersion: "v1", kind: "ConfigMap", metadata, data } as never);
		put("one");
		await begin();
		expect(loop.list()).to.deep.equal(["one"]);
		await eventually(() => loop.trouble?.endsWith('"filled", is too large to be read'));
	});

	it("takes half an event for none", async () => {
		await begin();
		api.say('{"type":"ADDED","object":{"metadata":{"name":"half","resourceVersion":"99999","labels":{"ours":"yes"}}');
		api.endWatches();
		await eventually(() => api.watches === 1 && api.calls.length === 3);
		put("whole");
		await eventually(() => loop.list().join() === "whole");
	});
});
