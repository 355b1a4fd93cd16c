/** The client of the cluster's API against a server in memory that fails in every way. */
import { expect } from "chai";
import type { ApiClient } from "#shared/kubernetes/api/api-client.ts";
import { ApiError } from "#shared/kubernetes/api/api-error.ts";
import type { KubeObject } from "#shared/kubernetes/api/kube-object.ts";
import { FakeApi } from "../../../../support/kubernetes/fake-api.ts";
import { clientOf, type TestAccess } from "../../../../support/kubernetes/fake-api-client.ts";

const maps = { version: "v1", plural: "configmaps", namespace: "sessions" };
const path = "/api/v1/namespaces/sessions/configmaps";

interface ConfigMap extends KubeObject {
	readonly data?: Readonly<Record<string, string>>;
}

function configMap(name: string, data: Record<string, string> = {}, metadata: object = {}): ConfigMap {
	return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels: { ours: "yes" }, ...metadata }, data };
}

/** Returns the error of a call. */
async function errorOf(call: Promise<unknown>): Promise<ApiError> {
	const error = await call.then(
		() => undefined,
		(failure: unknown) => failure,
	);
	expect(error).to.be.instanceOf(ApiError);
	return error as ApiError;
}

function status(code: number, reason: string, message = "failed", details: object = {}): object {
	return { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message, details };
}

describe("The client of the cluster's API", function () {
	this.timeout(30_000);

	let api: FakeApi;
	let client: ApiClient;
	let access: TestAccess;

	beforeEach(async () => {
		api = await FakeApi.start();
		({ client, access } = clientOf(api));
	});

	afterEach(async () => {
		client.close();
		await api[Symbol.asyncDispose]();
	});

	describe("calls", () => {
		it("creates, reads, replaces, patches and deletes an object over one connection", async () => {
			const made = await client.create<ConfigMap>(maps, configMap("agent-1", { a: "1" }));
			expect(made.metadata.uid).to.have.length.above(0);
			expect((await client.get<ConfigMap>(maps, "agent-1")).data).to.deep.equal({ a: "1" });
			expect((await client.replace<ConfigMap>(maps, { ...made, data: { b: "2" } } as ConfigMap)).data).to.deep.equal({
				b: "2",
			});
			const merged = await client.patch<ConfigMap>(maps, "agent-1", { data: { b: null, c: "3" } });
			expect(merged.data).to.deep.equal({ c: "3" });
			const stepped = await client.patchBySteps<ConfigMap>(maps, "agent-1", [
				{ op: "test", path: "/metadata/uid", value: made.metadata.uid },
				{ op: "add", path: "/data/d", value: "4" },
			]);
			expect(stepped.data).to.deep.equal({ c: "3", d: "4" });
			await client.delete(maps, "agent-1", { uid: made.metadata.uid });
			expect((await errorOf(client.get(maps, "agent-1"))).status).to.equal(404);
			expect(api.connections).to.equal(1);
		});

		it("lets a finalizer keep what is deleted, until a patch takes it off", async () => {
			const made = await client.create<ConfigMap>(maps, configMap("kept", {}, { finalizers: ["atelier.dev/records"] }));
			const left = (await client.delete(maps, "kept", {})) as ConfigMap;
			expect(left.metadata.deletionTimestamp).to.be.a("string");
			const steps = [
				{ op: "test", path: "/metadata/uid", value: made.metadata.uid },
				{ op: "remove", path: "/metadata/finalizers/0" },
			] as const;
			await client.patchBySteps(maps, "kept", steps);
			expect((await errorOf(client.get(maps, "kept"))).reason).to.equal("NotFound");
		});

		it("lists page by page what is kept of the objects with the labels", async () => {
			for (let each = 0; each < 1_100; each++)
				api.cluster.create(
					path,
					configMap(`agent-${each}`, {}, { labels: { ours: each < 1_050 ? "yes" : "no" } }) as never,
				);
			const { items, resourceVersion } = await client.list(maps, ({ metadata }) => metadata.name, {
				labelSelector: "ours=yes",
			});
			expect([items.length, new Set(items).size, resourceVersion]).to.deep.equal([1_050, 1_050, "2100"]);
			expect(api.calls).to.have.length(3);
		});

		it("begins a list again that the server has forgotten between two pages, and gives up after three times", async () => {
			for (let each = 0; each < 600; each++) api.cluster.create(path, configMap(`agent-${each}`) as never);
			const expired = { answers: { status: 410, body: status(410, "Expired") }, when: "before" } as const;
			api.fail(`GET ${path}?limit=500&continue`, expired);
			expect((await client.list(maps, ({ metadata }) => metadata.name)).items).to.have.length(600);
			expect(api.calls).to.have.length(4);
			api.fail(`GET ${path}?limit=500&continue`, expired, 3);
			expect((await errorOf(client.list(maps, () => 1))).isExpired).to.equal(true);
			expect(api.calls).to.have.length(10);
		});
	});

	describe("refusals", () => {
		it("have the status, the reason and the sentence of the API", async () => {
			const made = await client.create<ConfigMap>(maps, configMap("one"));
			const twice = await errorOf(client.create(maps, configMap("one")));
			expect([twice.status, twice.reason, twice.message]).to.deep.equal([409, "AlreadyExists", '"one" already exists']);
			const stale = await errorOf(client.replace(maps, configMap("one", {}, { resourceVersion: "1" })));
			expect([stale.status, stale.reason]).to.deep.equal([409, "Conflict"]);
			const other = await errorOf(client.delete(maps, "one", { uid: "another" }));
			expect([other.status, other.reason]).to.deep.equal([409, "Conflict"]);
			const steps = [{ op: "test", path: "/metadata/uid", value: "another" }] as const;
			expect((await errorOf(client.patchBySteps(maps, "one", steps))).status).to.equal(422);
			expect((await client.get(maps, "one")).metadata.uid).to.equal(made.metadata.uid);
		});

		it("name the members that the API does not take", async () => {
			const cause = { field: "spec.containers[0].image", reason: "FieldValueRequired", message: "Required value" };
			api.fail(`POST ${path}`, {
				answers: { status: 422, body: status(422, "Invalid", "invalid", { causes: [cause] }) },
				when: "before",
			});
			expect((await errorOf(client.create(maps, configMap("one")))).causes).to.deep.equal([cause]);
			const wrong = await errorOf(client.create(maps, { ...configMap("one"), data: { a: 1 } }));
			expect([wrong.status, wrong.causes.length]).to.deep.equal([422, 1]);
		});

		it("have neither the token of the call nor a secret of the request, and are one line", async () => {
			const message = "no\nBearer token-of-the-platform and secret-of-a-session\u001b[2J";
			api.fail(`POST ${path}`, { answers: { status: 403, body: status(403, "Forbidden", message) }, when: "before" });
			const error = await errorOf(client.create(maps, configMap("one"), { secrets: ["secret-of-a-session"] }));
			expect(error.message).to.equal("no Bearer [hidden] and [hidden] [2J");
		});

		it("are told of a proxy in between that answers with a page", async () => {
			const answers = { status: 502, body: "<html>Bad Gateway</html>" };
			api.fail(`GET ${path}/one`, { answers, when: "before" });
			const error = await errorOf(client.get(maps, "one"));
			expect([error.status, error.reason, error.message]).to.deep.equal([
				502,
				"Unknown",
				"The cluster's API has answered 502",
			]);
		});

		it("do not follow a redirection", async () => {
			const answers = { status: 302, body: "", headers: { location: "https://127.0.0.1:1/" } };
			api.fail(`GET ${path}/one`, { answers, when: "before" });
			expect((await errorOf(client.get(maps, "one"))).status).to.equal(302);
			expect(api.calls).to.have.length(1);
		});

		it("are made here for names that would lead elsewhere", async () => {
			for (const name of ["", "..", "a/b", "a?b", "A", "a%2fb", "-a"]) {
				const failure: unknown = await client.get(maps, name).catch((error: unknown) => error);
				expect(failure, name).to.be.instanceOf(RangeError);
			}
			expect(api.calls).to.deep.equal([]);
		});
	});

	describe("waits", () => {
		const busy = { status: 429, body: status(429, "TooManyRequests"), headers: { "retry-after": "1" } };

		it("as long as a busy API says, for reads and writes", async () => {
			api.fail(`POST ${path}`, { answers: busy, when: "before" }, 2);
			const from = performance.now();
			await client.create(maps, configMap("one"));
			expect(performance.now() - from).to.be.at.least(1_990);
			expect(api.calls).to.have.length(3);
		});

		it("no longer than the call may take, and says then how long the API wants", async () => {
			api.fail(`GET ${path}/one`, { answers: { ...busy, headers: { "retry-after": "60" } }, when: "before" });
			const from = performance.now();
			const error = await errorOf(client.get(maps, "one"));
			expect([error.status, error.retryAfterMs]).to.deep.equal([429, 60_000]);
			expect(performance.now() - from).to.be.below(1_000);
		});

		it("does not repeat a write that was answered with 503 or 500, since it may have happened", async () => {
			for (const code of [503, 500]) {
				const answers = { status: code, body: status(code, "Failure"), headers: { "retry-after": "1" } };
				api.fail(`POST ${path}`, { answers, when: "after" });
				const error = await errorOf(client.create(maps, configMap(`after-${code}`)));
				expect([error.status, error.retryAfterMs]).to.deep.equal([code, 1_000]);
				expect((await client.get(maps, `after-${code}`)).metadata.name).to.equal(`after-${code}`);
			}
			expect(api.calls.filter((call) => call.startsWith("POST"))).to.have.length(2);
		});

		it("repeats a read that was answered with 503 and a wait", async () => {
			await client.create(maps, configMap("one"));
			const answers = { status: 503, body: "", headers: { "retry-after": "0" } };
			api.fail(`GET ${path}/one`, { answers, when: "before" }, 3);
			expect((await client.get(maps, "one")).metadata.name).to.equal("one");
		});
	});

	describe("an API that does not know the caller", () => {
		it("is asked again with the token as it is now, also for a write", async () => {
			access.tokens = ["expired-token", "token-of-the-platform"];
			await client.create(maps, configMap("one"));
			expect([access.renewals, api.calls.length]).to.deep.equal([1, 2]);
		});

		it("is not asked a third time", async () => {
			access.tokens = ["expired-token", "another-expired-token"];
			expect((await errorOf(client.get(maps, "one"))).status).to.equal(401);
			expect([access.renewals, api.calls.length]).to.deep.equal([1, 2]);
		});
	});

	describe("an answer", () => {
		it("that does not come in time ends the call", async () => {
			api.fail(`GET ${path}/one`, "silence");
			const error = await errorOf(client.get(maps, "one", { withinMs: 200 }));
			expect([error.status, error.reason]).to.deep.equal([undefined, "ClientTimeout"]);
		});

		it("that nobody wants any more ends the call", async () => {
			api.fail(`GET ${path}/one`, "silence");
			const ending = new AbortController();
			const call = errorOf(client.get(maps, "one", { signal: ending.signal }));
			ending.abort();
			expect((await call).reason).to.equal("Aborted");
		});

		it("that breaks off leaves a write unknown", async () => {
			for (const fault of ["reset", "half"] as const) {
				api.fail(`POST ${path}`, fault);
				const error = await errorOf(client.create(maps, configMap(`broken-${fault}`)));
				expect([error.status, error.reason]).to.deep.equal([undefined, "Unreachable"]);
				expect((await client.get(maps, `broken-${fault}`)).metadata.name).to.equal(`broken-${fault}`);
			}
		});

		it("that is no JSON, no object, or no list is refused without its text", async () => {
			for (const body of ["{", "[]", '"secret"', "null", "{}"]) {
				api.fail(`GET ${path}`, { answers: { status: 200, body }, when: "before" });
				const error = await errorOf(client.get(maps, "one"));
				expect([error.status, error.reason], body).to.deep.equal([undefined, "AnswerUnreadable"]);
				expect(error.message).not.to.include("secret");
			}
			for (const body of ["null", "{}", '{"metadata":{"resourceVersion":"1"},"items":[{}]}']) {
				api.fail(`GET ${path}?limit`, { answers: { status: 200, body }, when: "before" });
				expect((await errorOf(client.list(maps, () => 1))).reason, body).to.equal("AnswerUnreadable");
			}
		});

		it("that is too long is not read to its end", async () => {
			api.fail(`GET ${path}/one`, { answers: { status: 200, body: "x".repeat(17_000_000) }, when: "before" });
			expect((await errorOf(client.get(maps, "one"))).reason).to.equal("AnswerTooLarge");
		});

		it("of a server that is away or is another one is a failure without a status", async () => {
			const { port } = api;
			await api.stop();
			const away = await errorOf(client.get(maps, "one"));
			expect([away.status, away.reason]).to.deep.equal([undefined, "Unreachable"]);
			expect(away.message).to.equal(
				`The cluster's API at https://127.0.0.1:${port} does not answer: connect ECONNREFUSED 127.0.0.1:${port}`,
			);
			await using other = await FakeApi.start();
			const stranger = clientOf({ port: other.port, ca: api.ca }).client;
			const error = await errorOf(stranger.get(maps, "one"));
			stranger.close();
			expect([error.status, error.reason, other.calls]).to.deep.equal([undefined, "Unreachable", []]);
		});
	});

	it("has no call after it was closed", async () => {
		api.fail(`GET ${path}/one`, "silence");
		const call = errorOf(client.get(maps, "one"));
		client.close();
		expect((await call).reason).to.equal("Aborted");
	});
});
