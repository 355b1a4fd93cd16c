/** Sessions that ran, and whose pods and files no host has: they do not run for ever. */
import { expect } from "chai";
import { Reconciler } from "#services/pod-manager/reconciliation/reconciler.ts";
import { type ExpectationQuery, Sweep } from "#services/pod-manager/reconciliation/sweep.ts";
import type { HostBinding } from "#services/sessions/record/host-binding.ts";
import { sessionCollection } from "#services/sessions/record/session-collection.ts";
import { SessionRecords } from "#services/sessions/record/session-records.ts";
import { SessionClaims } from "#services/sessions/claims/session-claims.ts";
import { workspaceCollection } from "#services/sessions/workspaces/workspace-collection.ts";
import { textOf } from "#shared/base/schema/json-text.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import type { StoreUnderTest } from "../../contract/document-store.contract.ts";
import { alice } from "../../support/bus/test-brokers.ts";
import { eventually } from "../../support/eventually.ts";
import { seen } from "../../support/platform/session-actor.ts";
import { commandsOver } from "../../support/platform/session-commander.ts";
import { sessionCreate } from "../../support/platform/session-record.ts";
import { MemoryPods, memoryPod, podSpecFor } from "../../support/pods/memory-pods.ts";
import { openEmbedded } from "../../support/stores/open-stores.ts";
import { workspacesOver } from "../../support/workspaces/test-workspaces.ts";

const [host, elsewhere] = ["a".repeat(16), "b".repeat(16)];
const quick = { everyMs: 5, soonMs: 5, unwantedMs: 120_000 };

describe("a session whose pod is lost", () => {
	let opened: StoreUnderTest;
	let store: DocumentStore;
	let records: SessionRecords;
	let pods: MemoryPods;
	let stops: (() => Promise<void>)[];

	beforeEach(async () => {
		opened = await openEmbedded([sessionCollection, workspaceCollection]);
		store = opened.store;
		records = new SessionRecords(store, () => {});
		pods = new MemoryPods();
		stops = [];
	});
	afterEach(async () => {
		for (const stop of stops) await stop();
		await opened.discard();
	});

	function claimsWith(binding: HostBinding): SessionClaims {
		const workspaces = workspacesOver(store);
		return new SessionClaims(store, { records, workspaces, binding, hint: () => {}, forget: async () => {} });
	}

	/** Makes a session whose pod has run on the host. */
	async function running(claims: SessionClaims, on: string = host): Promise<string> {
		const made = await commandsOver(records, store).create({ principal: alice }, { request: sessionCreate() });
		const { id } = JSON.parse(textOf(made)) as { id: string };
		const [claim] = await claims.claim(1, [id], { host: on });
		await claims.report({ ...(claim ?? expect.fail("no claim")), observed: seen("ready"), due_in_ms: 0 });
		return id;
	}

	/** Starts the pod manager of the host. */
	function startPodManager(claims: SessionClaims): void {
		const specOf = ({ id, generation }: { id: string; generation: number }) => podSpecFor(id, generation);
		const work = {
			claim: (limit: number, ids?: string[]) => claims.claim(limit, ids, { host }),
			observe: claims.report.bind(claims),
		};
		const passes = new Reconciler({ runtime: pods, specOf }, work, () => {});
		const sweep = new Sweep(
			{
				runtime: pods,
				expected: (asked: ExpectationQuery) =>
					"ids" in asked ? claims.expectedOf(asked.ids, host) : claims.expected(500, asked.after, host),
				unknownWorkspaces: async () => [],
				look: (id) => passes.look(id),
			},
			() => {},
			quick,
		);
		stops.push(
			() => sweep.stop(),
			() => passes.stop(),
		);
	}

	const session = async (id: string) => (await records.get(alice, id)).session;

	async function isLost(id: string): Promise<void> {
		await eventually(async () => (await session(id)).status === "failed", { what: "the session fails" });
		expect((await session(id)).status_reason?.code).to.equal("POD_LOST");
		expect(pods.pods.size, "no pod is made").to.equal(0);
	}

	it("fails at once in the only process", async () => {
		const claims = claimsWith({ isAlone: true });
		const id = await running(claims);
		startPodManager(claims);
		await isLost(id);
	});

	it("fails in the only process also when it was bound to a host of another platform, and starts anew here", async () => {
		const claims = claimsWith({ isAlone: true });
		const id = await running(claimsWith({ isAlone: false }), elsewhere);
		expect((await store.get(workspaceCollection, id))?.host).to.equal(elsewhere);
		startPodManager(claims);
		await isLost(id);
		await commandsOver(records, store).run({ principal: alice }, "start", id);
		await eventually(() => pods.pods.size === 1, { what: "the pod is made" });
		expect((await store.get(sessionCollection, id))?.host).to.equal(host);
		expect((await store.get(workspaceCollection, id))?.host).to.equal(host);
	});

	it("goes on where its pod is, and fails when that has died there", async () => {
		const claims = claimsWith({ isAlone: false });
		const [alive, dead] = [await running(claims), await running(claims)];
		for (const id of [alive, dead]) pods.workspaces.add(id);
		pods.put(memoryPod(alive, 1, "ready"));
		pods.put(memoryPod(dead, 1, "gone"));
		startPodManager(claims);
		await eventually(async () => (await session(dead)).status === "failed");
		expect((await session(dead)).status_reason?.code).to.equal("POD_LOST");
		expect((await session(alive)).status).to.equal("running");
	});
});
