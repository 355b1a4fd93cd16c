/**
 * Somebody who may write everything in the namespace of sessions: their objects keep the platform from looking after no other session.
 * Night: its program takes 5 to 15 minutes to build.
 */
import { expect } from "chai";
import { randomUUID } from "node:crypto";
import { label, objectName } from "#services/pod-manager/pod-runtimes/kubernetes/objects/cluster-names.ts";
import type { Inventory } from "#services/pod-manager/pod-runtime.ts";
import { compileSchema } from "#shared/base/schema/validator.ts";
import { sessionWork } from "#shared/contracts/sessions/session-work.ts";
import { workspaceWork } from "#shared/contracts/workspaces/workspace-work.ts";
import { eventually } from "../../support/eventually.ts";
import { objectsOf } from "../../support/kubernetes/deployed-objects.ts";
import { HostileCluster } from "../../support/kubernetes/hostile-cluster.ts";
import { sessionId } from "../../support/kubernetes/pods/pod-objects.ts";
import { podPlan } from "../../support/kubernetes/pods/pod-plan.ts";

const plan = podPlan();
const pod = objectName(plan);
/** JSON has six characters for each of these bytes. */
const filling = (bytes: number) => "<".repeat(bytes);
const kinds = ["pods", "serviceaccounts", "persistentvolumeclaims"];

describe("objects that somebody else writes beside sessions", function () {
	this.timeout(300_000);
	let cluster: HostileCluster;

	before(async () => {
		cluster = await HostileCluster.start();
	});
	after(() => cluster?.[Symbol.asyncDispose]());
	beforeEach(() => cluster.objects.make(plan));
	afterEach(async () => {
		for (const kind of kinds) await cluster.clear(kind);
	});

	const containers = [{ name: "session", image: "i" }];
	const storage = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
	const account = (metadata: { name: string }) => ({ apiVersion: "v1", kind: "ServiceAccount", metadata });
	const claim = (metadata: { name: string }) => ({
		apiVersion: "v1",
		kind: "PersistentVolumeClaim",
		metadata,
		spec: storage,
	});
	const somePod = (metadata: { name: string }, env: object[] = []) => ({
		apiVersion: "v1",
		kind: "Pod",
		metadata,
		spec: { containers: containers.map((each) => ({ ...each, env })) },
	});

	const filled = (name: string, labels: Record<string, string> = {}) => ({
		...cluster.marked(name, labels),
		annotations: { filling: filling(250_000) },
	});

	/** Expects that the inventory has the session, and nothing that the sessions service would refuse to be asked about. */
	function expectWhole({ pods, unfinished, workspaces = [] }: Inventory): void {
		expect(pods.map(({ name }) => name)).to.include(pod);
		expect(workspaces).to.include(plan.workspaceId);
		const ids = [...pods, ...unfinished].map(({ sessionId: id }) => id);
		const asked = compileSchema(sessionWork.actions.expected.params ?? {})({ ids, limit: 1 });
		expect(asked.map(({ message }) => message)).to.deep.equal([]);
		expect(compileSchema(workspaceWork.actions.unknown.params ?? {})({ ids: [...workspaces] })).to.deep.equal([]);
	}

	it("280 accounts that are full of annotations cost hardly anything, since their names are asked for alone", async () => {
		const names = Array.from({ length: 280 }, (_each, index) => `filled-${index}`);
		await cluster.make(
			"serviceaccounts",
			names.map((name) => account(filled(name))),
		);
		const from = performance.now();
		const inventory = await cluster.runtime.inventory();
		expect(performance.now() - from).to.be.below(5_000);
		expectWhole(inventory);
		expect(inventory.troubles).to.deep.equal([]);
	});

	it("60 claims of 1.5 MB each, with our labels, are read in smaller pages", async () => {
		const names = Array.from({ length: 60 }, () => randomUUID());
		await cluster.make(
			"persistentvolumeclaims",
			names.map((id) => claim(filled(`workspace-${id}`, { [label.workspace]: id }))),
		);
		const inventory = await cluster.runtime.inventory();
		expectWhole(inventory);
		expect(inventory.workspaces).to.have.length(61);
		expect(inventory.troubles).to.deep.equal([]);
	});

	it("labels that name no session, and objects of another name, are nobody's", async () => {
		const ids = ["x", "..", sessionId.toUpperCase(), "0".repeat(63), sessionId, randomUUID()];
		const labelled = (kind: string) =>
			ids.flatMap((id, index) =>
				["1", "2", "0", "x"].map((generation) => {
					const labels = { [label.session]: id, [label.generation]: generation, [label.workspace]: id };
					return cluster.marked(`${kind}-${index}-${generation}`, id === ".." ? {} : labels);
				}),
			);
		await cluster.make(
			"pods",
			labelled("pod").map((metadata) => somePod(metadata)),
		);
		await cluster.make("serviceaccounts", labelled("account").map(account));
		await cluster.make("persistentvolumeclaims", labelled("claim").map(claim));
		const ofNobody = { [label.session]: "x", [label.generation]: "1", [label.workspace]: "x" };
		await cluster.make("pods", [somePod(cluster.marked("session-x-g1", ofNobody))]);
		await cluster.make("serviceaccounts", [account(cluster.marked("session-x-g1", ofNobody))]);
		await cluster.make("persistentvolumeclaims", [claim(cluster.marked("workspace-x", ofNobody))]);
		const inventory = await cluster.runtime.inventory();
		expectWhole(inventory);
		expect(inventory.pods).to.have.length(1);
		expect(inventory.unfinished).to.deep.equal([]);
		expect(inventory.workspaces).to.deep.equal([plan.workspaceId]);
		expect(await cluster.runtime.find(sessionId)).to.have.length(1);
	});

	it("a pod of 9 MB, changed again and again, hides no change of another pod", async () => {
		const told: string[] = [];
		const ending = new AbortController();
		cluster.runtime.watch((id) => told.push(id), ending.signal);
		await eventually(async () => (await cluster.runtime.inventory()).troubles.length === 0);
		const big = cluster.marked("big");
		await cluster.make("pods", [somePod(big, [{ name: "FILLING", value: filling(1_450_000) }])]);
		const pods = cluster.resource("pods");
		for (let each = 1; each <= 3; each++) {
			await cluster.other.patch(pods, "big", { metadata: { labels: { each: String(each) } } });
			const before = told.length;
			await cluster.tell(pod, { phase: "Running", podIP: `10.0.0.${each}`, podIPs: [{ ip: `10.0.0.${each}` }] });
			await eventually(() => told.length > before, {
				withinMs: 3_000,
				what: "the change of the session's pod is told",
			});
		}
		ending.abort();
		expect((await cluster.runtime.inventory()).troubles).to.deep.equal([]);
	});

	it("a status of a thousand containers, with words that mean something to programs, ends nothing and shows nothing unprintable", async () => {
		const nasty = "\u001b[2J\u0000\u202e\r\nconstructor";
		const names = Array.from({ length: 1_000 }, (_each, index) => (index === 0 ? "session" : `c${index}`));
		const container = (name: string) => ({ name, image: "i", imageID: "", ready: false, restartCount: 0 });
		// The server lets no container go on that has ended.
		for (const kind of ["waiting", "terminated"])
			for (const reason of ["constructor", "__proto__", "toString", nasty]) {
				const ended = { exitCode: 1, reason, message: nasty.repeat(50), finishedAt: "2999-01-01T00:00:00Z" };
				const state = { [kind]: kind === "waiting" ? { reason, message: nasty.repeat(20) } : ended };
				for (const phase of ["Pending", "Running", "Failed"]) {
					await cluster.tell(pod, {
						phase,
						reason,
						message: nasty,
						containerStatuses: names.map((name) => ({ ...container(name), state })),
						conditions: [
							{ type: "DisruptionTarget", status: "True", reason, message: nasty },
							{ type: "PodScheduled", status: "False", reason, message: nasty },
						],
					});
					expectWhole(await cluster.runtime.inventory());
					const [found] = await cluster.runtime.find(sessionId);
					const words = JSON.stringify([found?.failure, found?.waiting, found?.warnings]);
					expect(words).to.not.match(/\\[rnt]|\\u00|[\p{Cc}\p{Cf}]/u);
				}
			}
	});

	it("thousands of events for one pod, of any size, are read as far as a bound, and those of another pod are read too", async () => {
		const event = (uid: string, index: number, annotations: Record<string, string> = {}) => ({
			apiVersion: "v1",
			kind: "Event",
			metadata: { name: `${uid}.${String(index).padStart(6, "0")}`, annotations },
			involvedObject: { kind: "Pod", namespace: "sessions", name: uid, uid },
			reason: "FailedMount",
			message: String(index),
		});
		const many = (count: number, make: (index: number) => ReturnType<typeof event>) =>
			Array.from({ length: count }, (_each, index) => make(index));
		const [large, small] = [{ filling: filling(200_000) }, {}];
		await cluster.make(
			"events",
			many(2_000, (index) => event("attacked", index, small)),
		);
		await cluster.make(
			"events",
			many(20, (index) => event("filled", index, large)),
		);
		await cluster.make(
			"events",
			many(3, (index) => event("other", index)),
		);
		const { events } = cluster.objects;
		expect(await events.ofPod("attacked")).to.have.length(50);
		const refused = await events.ofPod("filled").catch((error: unknown) => error);
		expect(refused).to.have.property("reason", "AnswerTooLarge");
		const from = performance.now();
		expect(await events.ofPod("other")).to.have.length(3);
		expect(performance.now() - from).to.be.below(1_500);
	});

	it("an account that is made again under its name, or of somebody else, is not removed", async () => {
		const accounts = cluster.resource("serviceaccounts");
		const replaceAccount = async (metadata: { name: string }) => {
			await cluster.other.delete(accounts, pod, {});
			return cluster.other.create(accounts, account(metadata));
		};
		const stranger = await replaceAccount({ name: pod });
		await cluster.objects.removeAccount(pod);
		expect((await cluster.other.get(accounts, pod)).metadata.uid).to.equal(stranger.metadata.uid);
		await replaceAccount(cluster.marked(pod));
		const get = cluster.own.get.bind(cluster.own);
		cluster.own.get = async (...call) => {
			const found = await get<never>(...call);
			cluster.own.get = get;
			await replaceAccount(cluster.marked(pod));
			return found;
		};
		await cluster.objects.removeAccount(pod);
		expect((await cluster.other.get(accounts, pod)).metadata.name).to.equal(pod);
		await cluster.objects.removeAccount(pod);
		const gone = await cluster.other.get(accounts, pod).catch((error: unknown) => error);
		expect(gone).to.have.property("status", 404);
	});

	it("are bounded in number by the quota of k8s", async () => {
		const quotas = cluster.resource("resourcequotas");
		const quota = objectsOf("base/sessions").find(({ kind }) => kind === "ResourceQuota");
		const hard = (quota as { readonly spec?: { readonly hard?: Readonly<Record<string, string>> } }).spec?.hard ?? {};
		const counted = ["count/pods", "count/serviceaccounts", "persistentvolumeclaims"];
		for (const what of counted) {
			const most = Number(hard[what]);
			expect(most, what).to.be.above(100);
			const metadata = { name: "counted" };
			const spec = { hard: { [what]: String(most) } };
			await cluster.other.create(quotas, { apiVersion: "v1", kind: "ResourceQuota", metadata, spec });
			// A controller would count.
			const status = { hard: spec.hard, used: { [what]: String(most) } };
			await cluster.other.patch(quotas, "counted", { status }, { part: "status" });
			const makers = { "count/pods": somePod, "count/serviceaccounts": account, persistentvolumeclaims: claim };
			const [plural = what] = what.split("/").slice(-1);
			const make = makers[what as keyof typeof makers];
			const refused = () => cluster.other.create(cluster.resource(plural), make({ name: "one-more" }));
			const message = await eventually(() =>
				refused().then(
					() => cluster.other.delete(cluster.resource(plural), "one-more", { graceSeconds: 0 }).then(() => undefined),
					(error: unknown) => (error instanceof Error ? error.message : undefined),
				),
			);
			expect(message).to.include("exceeded quota: counted");
			await cluster.other.delete(quotas, "counted", {});
		}
	});
});
