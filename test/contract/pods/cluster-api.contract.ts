/** The behaviour of a cluster's API that the runtime for clusters builds on. A real server and the one in memory have it. */
import { expect } from "chai";
import type { ApiClient } from "#shared/kubernetes/api/api-client.ts";
import { ApiError } from "#shared/kubernetes/api/api-error.ts";
import type { KubeObject } from "#shared/kubernetes/api/kube-object.ts";
import { WatchLoop } from "#shared/kubernetes/watch/watch-loop.ts";
import { collectionSource } from "#shared/kubernetes/watch/watch-source.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { eventually } from "../../support/eventually.ts";

/** A cluster with a namespace `sessions`. */
export interface OpenedCluster extends AsyncDisposable {
	readonly client: ApiClient;
	/** Returns a client whose token the server does not know. */
	stranger(): Promise<ApiClient>;
	/** Kills the API server; the function that it resolves to starts it again. */
	kill(): Promise<() => Promise<void>>;
}

const maps = { version: "v1", plural: "configmaps", namespace: "sessions" };
const pods = { version: "v1", plural: "pods", namespace: "sessions" };

interface ConfigMap extends KubeObject {
	readonly data?: Readonly<Record<string, string>>;
}

function configMap(name: string, metadata: object = {}): ConfigMap {
	return {
		apiVersion: "v1",
		kind: "ConfigMap",
		metadata: { name, labels: { ours: "yes" }, ...metadata },
		data: { a: "1" },
	};
}

async function errorOf(call: Promise<unknown>): Promise<ApiError> {
	const error = await call.then(
		() => undefined,
		(failure: unknown) => failure,
	);
	expect(error).to.be.instanceOf(ApiError);
	return error as ApiError;
}

/** A loop over the config maps that are ours. */
class Following implements AsyncDisposable {
	readonly loop: WatchLoop<KubeObject, string>;
	readonly metrics = new Metrics();
	readonly #ending = new AbortController();
	readonly #run: Promise<void>;

	constructor(client: ApiClient, compareMs = 600_000) {
		this.loop = new WatchLoop<KubeObject, string>({
			source: collectionSource(client, maps, "ours=yes"),
			kind: "configmaps",
			project: ({ metadata }) => metadata.name,
			onChange: () => {},
			metrics: this.metrics,
			times: { compareMs },
		});
		this.#run = this.loop.run(this.#ending.signal);
	}

	get names(): string {
		return this.loop.list().toSorted().join();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#ending.abort();
		await this.#run;
	}
}

export function clusterApiContract(name: string, open: () => Promise<OpenedCluster>): void {
	describe(`The API of ${name}`, function () {
		this.timeout(240_000);

		let cluster: OpenedCluster;
		let client: ApiClient;

		before(async () => {
			cluster = await open();
			client = cluster.client;
		});

		after(async () => cluster[Symbol.asyncDispose]());

		afterEach(async () => {
			const { items } = await client.list(maps, ({ metadata }) => metadata, { labelSelector: "ours" });
			for (const metadata of items) {
				if (metadata.finalizers) await client.patch(maps, metadata.name, { metadata: { finalizers: null } });
				await client.delete(maps, metadata.name, {}).catch(() => {});
			}
		});

		it("creates an object once, and answers with it", async () => {
			const made = await client.create<ConfigMap>(maps, configMap("one"));
			expect(made.metadata.uid).to.be.a("string");
			const twice = await errorOf(client.create(maps, configMap("one")));
			expect([twice.status, twice.reason]).to.deep.equal([409, "AlreadyExists"]);
			expect((await client.get<ConfigMap>(maps, "one")).data).to.deep.equal({ a: "1" });
			expect((await errorOf(client.get(maps, "two"))).reason).to.equal("NotFound");
		});

		it("replaces an object of the given version only", async () => {
			const made = await client.create<ConfigMap>(maps, configMap("one"));
			const next = await client.replace<ConfigMap>(maps, { ...made, data: { b: "2" } } as ConfigMap);
			expect(next.data).to.deep.equal({ b: "2" });
			const stale = await errorOf(client.replace(maps, { ...made, data: { c: "3" } } as ConfigMap));
			expect([stale.status, stale.reason]).to.deep.equal([409, "Conflict"]);
		});

		it("merges members on the condition of a uid or a version, and removes those that are null", async () => {
			const made = await client.create<ConfigMap>(maps, configMap("one"));
			const condition = { uid: made.metadata.uid, resourceVersion: made.metadata.resourceVersion };
			const next = await client.patch<ConfigMap>(maps, "one", { metadata: condition, data: { a: null, b: "2" } });
			expect(next.data).to.deep.equal({ b: "2" });
			const stale = await errorOf(client.patch(maps, "one", { metadata: condition, data: { c: "3" } }));
			expect([stale.status, stale.reason]).to.deep.equal([409, "Conflict"]);
			const metadata = { uid: "00000000-0000-0000-0000-000000000000" };
			expect((await errorOf(client.patch(maps, "one", { metadata, data: { c: "3" } }))).status).to.equal(422);
		});

		it("patches by steps as far as their tests hold", async () => {
			const made = await client.create<ConfigMap>(maps, configMap("one"));
			const test = { op: "test", path: "/metadata/uid" } as const;
			const step = { op: "add", path: "/data/b", value: "2" } as const;
			expect((await errorOf(client.patchBySteps(maps, "one", [{ ...test, value: "another" }, step]))).status).to.equal(
				422,
			);
			const next = await client.patchBySteps<ConfigMap>(maps, "one", [{ ...test, value: made.metadata.uid }, step]);
			expect(next.data).to.deep.equal({ a: "1", b: "2" });
		});

		it("tests an annotation for its text, whatever characters it has, and with null for none", async () => {
			const path = "/metadata/annotations/atelier.dev~1status";
			await client.create(maps, configMap("one", { annotations: { other: "1" } }));
			const change = (former: string | null, value: string) =>
				client.patchBySteps(maps, "one", [
					{ op: "test", path, value: former },
					{ op: "add", path, value },
				]);
			let former: string | null = null;
			for (const text of ['{"a":"1"}', '<&>"\\\u2028\u2029\u007f\n', "ü😀", ""]) {
				await change(former, text);
				const { annotations } = (await client.get(maps, "one")).metadata;
				expect(annotations).to.deep.equal({ other: "1", "atelier.dev/status": text });
				for (const another of [null, "another"])
					expect((await errorOf(change(another, "never"))).status, text).to.equal(422);
				former = text;
			}
		});

		it("tests a member of an object that is not there never", async () => {
			await client.create(maps, configMap("one"));
			const test = { op: "test", path: "/metadata/annotations/status", value: null } as const;
			const step = { op: "add", path: "/data/b", value: "2" } as const;
			expect((await errorOf(client.patchBySteps(maps, "one", [test, step]))).status).to.equal(422);
			const absent = { op: "test", path: "/metadata/annotations", value: null } as const;
			const made = { op: "add", path: "/metadata/annotations", value: { status: "1" } } as const;
			await client.patchBySteps(maps, "one", [absent, made]);
			expect((await errorOf(client.patchBySteps(maps, "one", [absent, made]))).status).to.equal(422);
		});

		it("deletes the object of the given uid only, and keeps one with a finalizer until that is taken off", async () => {
			const made = await client.create<ConfigMap>(maps, configMap("one", { finalizers: ["atelier.dev/records"] }));
			const other = await errorOf(client.delete(maps, "one", { uid: "00000000-0000-0000-0000-000000000000" }));
			expect([other.status, other.reason]).to.deep.equal([409, "Conflict"]);
			expect((await client.get(maps, "one")).metadata.deletionTimestamp).to.equal(undefined);
			await client.delete(maps, "one", { uid: made.metadata.uid });
			expect((await client.get(maps, "one")).metadata.deletionTimestamp).to.be.a("string");
			await client.patchBySteps(maps, "one", [
				{ op: "test", path: "/metadata/uid", value: made.metadata.uid },
				{ op: "remove", path: "/metadata/finalizers/0" },
			]);
			expect((await errorOf(client.get(maps, "one"))).status).to.equal(404);
		});

		it("names what it does not take", async () => {
			const pod = {
				apiVersion: "v1",
				kind: "Pod",
				metadata: { name: "one" },
				spec: { containers: [{ name: "a", image: "b", env: 1 }] },
			};
			expect((await errorOf(client.create(pods, pod))).status).to.be.oneOf([400, 422]);
			expect((await errorOf(client.create(pods, configMap("one")))).status).to.equal(400);
			expect((await errorOf(client.create(maps, configMap("Ä")))).status).to.equal(422);
			expect((await errorOf(client.get({ ...maps, plural: "nothings" }, "one"))).status).to.equal(404);
		});

		it("does not answer a stranger", async () => {
			const stranger = await cluster.stranger();
			const error = await errorOf(stranger.get(maps, "one"));
			stranger.close();
			expect([error.status, error.reason]).to.deep.equal([401, "Unauthorized"]);
		});

		it("lists in pages, of the newest state, of no older one, or of exactly one", async () => {
			for (let each = 0; each < 520; each++) await client.create(maps, configMap(`agent-${each}`));
			const names = ({ metadata }: KubeObject): string => metadata.name;
			const query = { labelSelector: "ours=yes" };
			const { items, resourceVersion } = await client.list(maps, names, query);
			expect([items.length, new Set(items).size]).to.deep.equal([520, 520]);
			await client.create(maps, configMap("later"));
			const exact = await client.list(maps, names, { ...query, version: { resourceVersion, match: "Exact" } });
			expect([exact.items.length, exact.resourceVersion]).to.deep.equal([520, resourceVersion]);
			const later = await client.list(maps, names, { ...query, version: { resourceVersion, match: "NotOlderThan" } });
			expect(later.items.length).to.be.oneOf([520, 521]);
			const never = String(BigInt(resourceVersion) + 1_000_000n);
			const unknown = client.list(maps, names, {
				...query,
				version: { resourceVersion: never, match: "NotOlderThan" },
			});
			expect((await errorOf(unknown)).isVersionUnknown).to.equal(true);
		});

		it("tells a watch what is made, changed, selected no more and removed", async () => {
			await client.create(maps, configMap("one"));
			await using following = new Following(client);
			await eventually(() => following.names === "one");
			await client.create(maps, configMap("two"));
			await client.create(maps, configMap("other", { labels: { ours: "no" } }));
			await client.patch(maps, "one", { metadata: { labels: { ours: "no" } } });
			await eventually(() => following.names === "two");
			await client.delete(maps, "two", {});
			await eventually(() => following.names === "");
			expect([following.loop.isFresh, following.loop.trouble]).to.deep.equal([true, undefined]);
		});

		it("is followed again within 30 s after it was killed and started again", async () => {
			await client.create(maps, configMap("one"));
			await client.create(maps, configMap("two"));
			await using following = new Following(client);
			await eventually(() => following.names === "one,two");
			const start = await cluster.kill();
			await eventually(() => following.loop.trouble !== undefined, { withinMs: 30_000 });
			expect(following.names).to.equal("one,two");
			await start();
			await client.delete(maps, "two", {});
			await client.create(maps, configMap("three"));
			await eventually(() => following.names === "one,three" && following.loop.trouble === undefined, {
				withinMs: 30_000,
			});
		});

		it("finds no difference between what was told and what is there", async () => {
			await using following = new Following(client, 1_000);
			const drift = following.metrics.counter("atelier_cluster_watch_drift_total").at("configmaps");
			for (let round = 0; round < 8; round++) {
				for (let each = 0; each < 20; each++) await client.create(maps, configMap(`agent-${round}-${each}`));
				await client.delete(maps, `agent-${round}-0`, {});
			}
			await eventually(() => following.loop.list().length === 152);
			expect([drift.value, following.loop.trouble]).to.deep.equal([0, undefined]);
		});
	});
}
