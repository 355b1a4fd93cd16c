/** The objects of sessions against an API in memory that fails in every way. */
import { expect } from "chai";
import { PodRefused } from "#services/pod-manager/pod-refused.ts";
import {
	annotation,
	finalizer,
	objectName,
} from "#services/pod-manager/pod-runtimes/kubernetes/objects/cluster-names.ts";
import { podManifest } from "#services/pod-manager/pod-runtimes/kubernetes/objects/pod-manifest.ts";
import type { PodObject } from "#services/pod-manager/pod-runtimes/kubernetes/objects/pod-object.ts";
import { SessionObjects } from "#services/pod-manager/pod-runtimes/kubernetes/objects/session-objects.ts";
import type { ApiClient } from "#shared/kubernetes/api/api-client.ts";
import { ApiError } from "#shared/kubernetes/api/api-error.ts";
import { failureOf } from "../../../../../../support/failure-of.ts";
import { type ApiFault, FakeApi } from "../../../../../../support/kubernetes/fake-api.ts";
import { clientOf } from "../../../../../../support/kubernetes/fake-api-client.ts";
import { podPlan } from "../../../../../../support/kubernetes/pods/pod-plan.ts";

const collection = (plural: string): string => `/api/v1/namespaces/sessions/${plural}`;
const [pods, accounts, claims] = ["pods", "serviceaccounts", "persistentvolumeclaims"].map(collection) as [
	string,
	string,
	string,
];
const plan = podPlan();
const name = objectName(plan);

function refusal(
	code: number,
	reason: string,
	when: "before" | "after",
	headers: Record<string, string> = {},
): ApiFault {
	const body = { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message: "failed on purpose" };
	return { answers: { status: code, body, headers }, when };
}

/** Each is met once. */
const faults: Readonly<Record<string, ApiFault>> = {
	"409 for a conflict": refusal(409, "Conflict", "before"),
	"410": refusal(410, "Expired", "before"),
	"429 with Retry-After": refusal(429, "TooManyRequests", "before", { "retry-after": "0" }),
	"500 before it was done": refusal(500, "InternalError", "before"),
	"500 after it was done": refusal(500, "InternalError", "after"),
	"503 with Retry-After after it was done": refusal(503, "ServiceUnavailable", "after", { "retry-after": "0" }),
	"401": refusal(401, "Unauthorized", "before"),
	"403": refusal(403, "Forbidden", "before"),
	"a closed connection after it was done": "reset",
	"half an answer after it was done": "half",
	"silence after it was done": "silence",
};

describe("SessionObjects", function () {
	this.timeout(30_000);

	let api: FakeApi;
	let client: ApiClient;
	let objects: SessionObjects;

	beforeEach(async () => {
		api = await FakeApi.start();
		({ client } = clientOf(api));
		objects = new SessionObjects(client, "sessions", plan.installation);
	});
	afterEach(async () => {
		client.close();
		await api[Symbol.asyncDispose]();
	});

	const namesIn = (path: string): string[] => api.cluster.list(path).map(({ metadata }) => metadata.name);
	const writes = (): string[] =>
		api.calls.filter((call) => !call.startsWith("GET")).map((call) => call.split("?")[0] ?? "");
	const soon = (): AbortSignal => AbortSignal.timeout(1_000);

	/** Returns the pod as the cluster has it now. */
	async function podNow(): Promise<PodObject> {
		const pod = await objects.podNow(name);
		if (!pod) throw new Error("There is no pod");
		return pod;
	}

	function podEnds(): void {
		const pod = api.cluster.get(pods, name);
		api.cluster.replace(pods, name, { ...pod, status: { phase: "Failed", reason: "Evicted" } });
	}

	/** Puts another pod of the same name in the place of this one, as somebody does who removes its finalizer. */
	function replacePod(): void {
		const pod = api.cluster.get(pods, name);
		api.cluster.replace(pods, name, { ...pod, metadata: { ...pod.metadata, finalizers: [] } });
		if (namesIn(pods).includes(name)) api.cluster.delete(pods, name);
		// The manifest of a pod is an object with any members.
		const other = podManifest(plan) as Parameters<FakeApi["cluster"]["create"]>[1];
		api.cluster.create(pods, { ...other, status: { phase: "Pending" } });
	}

	it("are made in an order in which whoever sees the pod finds the rest, and once", async () => {
		await objects.make(plan);
		expect(writes()).to.deep.equal([`POST ${accounts}`, `POST ${claims}`, `POST ${pods}`]);
		const { uid } = (await podNow()).metadata;
		await objects.make(plan);
		expect([namesIn(accounts), namesIn(claims), namesIn(pods)]).to.deep.equal([
			[name],
			[`workspace-${plan.workspaceId}`],
			[name],
		]);
		expect((await podNow()).metadata.uid).to.equal(uid);
	});

	for (const [words, fault] of Object.entries(faults))
		it(`are made once with ${words} at each step, whatever the first try has done`, async () => {
			for (const path of [accounts, claims, pods]) {
				const made = api.cluster.list(pods).length;
				api.fail(`POST ${path}`, fault);
				const first = await objects.make(plan, soon()).then(
					() => "done",
					() => "failed",
				);
				const [uid] = api.cluster.list(pods).map(({ metadata }) => metadata.uid);
				await objects.make(plan);
				expect([namesIn(accounts), namesIn(claims).length, namesIn(pods)], path).to.deep.equal([[name], 1, [name]]);
				if (uid !== undefined) expect((await podNow()).metadata.uid, path).to.equal(uid);
				// A pod never comes before what it needs.
				if (first === "failed" && path !== pods) expect(made, path).to.equal(0);
				replacePod();
				api.cluster.replace(pods, name, { ...api.cluster.get(pods, name), metadata: { name } });
				for (const each of [accounts, claims, pods]) for (const one of namesIn(each)) api.cluster.delete(each, one);
			}
		});

	for (const [words, fault] of Object.entries(faults))
		it(`are forgotten wholly with ${words} at each step, and the pod at last`, async () => {
			for (const step of [`DELETE ${accounts}`, `DELETE ${pods}`, `PATCH ${pods}`]) {
				await objects.make(plan);
				podEnds();
				api.fail(step, fault);
				await objects.forget(await podNow(), soon()).catch(() => {});
				if (namesIn(pods).length > 0) {
					expect((await podNow()).metadata.finalizers, step).to.deep.equal([finalizer]);
					await objects.forget(await podNow());
				}
				expect([namesIn(accounts), namesIn(pods)], step).to.deep.equal([[], []]);
				expect(namesIn(claims)).to.have.length(1);
			}
		});

	it("are forgotten in an order that lets the pod tell its end until nothing else is left", async () => {
		await objects.make(plan);
		podEnds();
		api.calls.splice(0);
		await objects.forget(await podNow());
		expect(writes()).to.deep.equal([`DELETE ${accounts}/${name}`, `DELETE ${pods}/${name}`, `PATCH ${pods}/${name}`]);
	});

	it("keep another pod of the same name, with its finalizer and without a report of the former one", async () => {
		await objects.make(plan);
		const former = await podNow();
		replacePod();
		const { metadata } = await podNow();
		expect(metadata.uid).to.not.equal(former.metadata.uid);
		await objects.end(former, 1);
		expect(await objects.keepStatus(former, "{}")).to.equal("gone");
		await objects.forget(former);
		expect((await podNow()).metadata).to.deep.equal(metadata);
	});

	it("keep the finalizer of another pod that gets the name while the former one is forgotten", async () => {
		await objects.make(plan);
		const former = await podNow();
		const patch = client.patchBySteps.bind(client);
		client.patchBySteps = (...call) => {
			replacePod();
			return patch(...call);
		};
		await objects.forget(former);
		const { metadata } = await podNow();
		expect(metadata.uid).to.not.equal(former.metadata.uid);
		expect(metadata.finalizers).to.deep.equal([finalizer]);
	});

	it("do nothing where a pod is gone", async () => {
		await objects.make(plan);
		const former = await podNow();
		podEnds();
		await objects.forget(former);
		await objects.end(former, 1);
		await objects.forget(former);
		expect(await objects.keepStatus(former, "{}")).to.equal("gone");
		expect(namesIn(pods)).to.deep.equal([]);
	});

	it("keep a report with its pod, and say so when the cluster does not take it", async () => {
		await objects.make(plan);
		const pod = await podNow();
		const before = api.calls.length;
		expect(await objects.keepStatus(pod, '{"phase":"ready"}')).to.equal("kept");
		expect(api.calls.slice(before), "it is one call").to.deep.equal([`PATCH ${pods}/${name}`]);
		expect((await podNow()).metadata.annotations).to.include({ "atelier.dev/status": '{"phase":"ready"}' });
		api.fail(`PATCH ${pods}`, refusal(422, "Invalid", "before"));
		const error = await failureOf<ApiError>(objects.keepStatus(await podNow(), "{}"));
		expect(error).to.be.an.instanceOf(ApiError).and.have.property("status", 422);
	});

	it("keep no report in the place of one that was not read, and say what is there", async () => {
		await objects.make(plan);
		const read = await podNow();
		await objects.keepStatus(read, '{"number":2}');
		expect(await objects.keepStatus(read, '{"number":1}')).to.deep.equal(await podNow());
		expect((await podNow()).metadata.annotations).to.include({ [annotation.status]: '{"number":2}' });
		expect(await objects.keepStatus(await podNow(), '{"number":3,"progress":"<&>"}')).to.equal("kept");
		expect(await objects.keepStatus(await podNow(), '{"number":4}')).to.equal("kept");
	});

	it("write no report that nobody waits for any more", async () => {
		await objects.make(plan);
		const pod = await podNow();
		const before = api.calls.length;
		const error = await failureOf<ApiError>(objects.keepStatus(pod, "{}", AbortSignal.abort()));
		expect(error).to.have.property("reason", "Aborted");
		expect(api.calls).to.have.length(before);
	});

	it("are asked to end once, with the time that they have", async () => {
		await objects.make(plan);
		await objects.end(await podNow(), 30);
		const ending = await podNow();
		expect(ending.metadata.deletionTimestamp).to.be.a("string");
		const before = api.calls.length;
		await objects.end(ending, 30);
		expect(api.calls.length).to.equal(before);
	});

	/** Gives the pod a finalizer of somebody else, before ours. */
	function addFinalizer(): void {
		const pod = api.cluster.get(pods, name);
		const finalizers = ["example.org/first", finalizer];
		api.cluster.replace(pods, name, { ...pod, metadata: { ...pod.metadata, finalizers } });
	}

	it("let a finalizer of somebody else be", async () => {
		await objects.make(plan);
		addFinalizer();
		await objects.forget(await podNow());
		expect((await podNow()).metadata.finalizers).to.deep.equal(["example.org/first"]);
		await objects.forget(await podNow());
		expect((await podNow()).metadata.finalizers).to.deep.equal(["example.org/first"]);
	});

	it("fail, and keep the end of a pod, when its finalizers have changed since it was read", async () => {
		await objects.make(plan);
		const read = await podNow();
		addFinalizer();
		const error = await failureOf<ApiError>(objects.forget(read));
		expect(error).to.be.an.instanceOf(ApiError).and.have.property("status", 422);
		await objects.forget(await podNow());
		expect((await podNow()).metadata.finalizers).to.deep.equal(["example.org/first"]);
	});

	for (const path of [accounts, claims, pods])
		it(`adopt nothing of somebody else: ${path.split("/").at(-1)}`, async () => {
			await new SessionObjects(client, "sessions", "another-installation").make(podPlan({ installation: "another" }));
			for (const other of [accounts, claims, pods].filter((each) => each !== path))
				for (const one of namesIn(other)) {
					const object = api.cluster.get(other, one);
					api.cluster.replace(other, one, { ...object, metadata: { ...object.metadata, finalizers: [] } });
					api.cluster.delete(other, one);
				}
			const [present] = api.cluster.list(path);
			expect(await failureOf<PodRefused>(objects.make(plan)))
				.to.be.an.instanceOf(PodRefused)
				.and.include({ code: "POD_INVALID", final: true });
			expect(api.cluster.list(path)).to.deep.equal([present]);
			if (path !== pods) expect(namesIn(pods)).to.deep.equal([]);
		});

	it("make no pod while the former claim of its workspace is being removed", async () => {
		await new SessionObjects(client, "sessions", plan.installation).make(plan);
		api.cluster.delete(pods, name);
		const [claimName = ""] = namesIn(claims);
		const { metadata, ...object } = api.cluster.get(claims, claimName);
		const leaving = {
			...metadata,
			deletionTimestamp: "2026-11-28T19:00:00Z",
			finalizers: ["kubernetes.io/pvc-protection"],
		};
		api.cluster.replace(claims, claimName, { ...object, metadata: leaving });
		const next = podPlan({ generation: 2 });
		expect(await failureOf<PodRefused>(objects.make(next)))
			.to.be.an.instanceOf(PodRefused)
			.and.include({ code: "WORKSPACE_PENDING", final: false });
		expect(namesIn(pods)).to.not.include(objectName(next));
	});

	it("adopt no pod that was made before the platform made it", async () => {
		await objects.make(plan);
		const { metadata, ...object } = api.cluster.get(pods, name);
		const planted = { ...metadata, annotations: { [annotation.proof]: "another" } };
		api.cluster.replace(pods, name, { ...object, metadata: planted });
		const error = await failureOf<PodRefused>(objects.make(plan));
		expect(error).to.be.an.instanceOf(PodRefused).and.include({ code: "POD_INVALID", final: true });
		expect(error.message).to.contain(`pods "${name}" is there already, and it was not made by the platform`);
	});

	it("remove a volume claim, and not another one of its name", async () => {
		await objects.make(plan);
		const claim = await objects.volumeClaim(plan.workspaceId);
		if (!claim) throw new Error("There is no claim");
		expect(claim).to.deep.include({ isEnding: false, size: { bytes: 10_737_418_240 }, workspaceId: plan.workspaceId });
		await objects.removeVolumeClaim({ ...claim, uid: "another" });
		expect(namesIn(claims)).to.have.length(1);
		await objects.removeVolumeClaim(claim);
		await objects.removeVolumeClaim(claim);
		expect(await objects.volumeClaim(plan.workspaceId)).to.equal(undefined);
	});

	it("list what belongs to one session, and what belongs to all", async () => {
		const otherId = "4f0c1111-2222-4333-8444-555566667777";
		const other = podPlan({ sessionId: otherId, workspaceId: otherId, generation: 3 });
		await objects.make(plan);
		await objects.make(other);
		await new SessionObjects(client, "sessions", "foreign").make(
			podPlan({ sessionId: "5f0c1111-2222-4333-8444-555566667777", workspaceId: "foreign", installation: "foreign" }),
		);
		const launches = [plan, other].map(({ sessionId, generation }) => ({ sessionId, generation }));
		expect(await objects.launches()).to.have.deep.members(launches);
		expect(await objects.launches(other.sessionId)).to.deep.equal([launches[1]]);
		expect((await objects.listPods()).map(({ metadata }) => metadata.name)).to.have.members([name, objectName(other)]);
		expect(await objects.listPods(plan.sessionId)).to.have.length(1);
		expect((await objects.volumeClaims()).claims.map(({ workspaceId }) => workspaceId)).to.have.members([
			plan.workspaceId,
			otherId,
		]);
	});
});
