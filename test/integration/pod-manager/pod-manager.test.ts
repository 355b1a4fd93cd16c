/** The pod manager over the bus, with the sessions service in the same process and in another one. */
import { expect } from "chai";
import { randomUUID } from "node:crypto";
import { podManager, type PodManager } from "#services/pod-manager/pod-manager.service.ts";
import { implement, publish } from "#shared/bus/service.ts";
import { connections } from "#shared/contracts/integrations/connections.ts";
import { sessionDue, sessionWork } from "#shared/contracts/sessions/session-work.ts";
import { eventually } from "../../support/eventually.ts";
import { MemoryPods, memoryPod, podSpecFor } from "../../support/pods/memory-pods.ts";
import { SessionDesk } from "../../support/platform/session-gateway.ts";
import { type Nodes, startNodes } from "../../support/bus/test-brokers.ts";

const startingPerOwner = 3;

for (const count of [1, 2] as const) {
	describe(`pod manager, ${count === 1 ? "sessions in its own process" : "sessions in another process"}`, () => {
		let desk: SessionDesk;
		let pods: MemoryPods;
		let manager: PodManager;
		let nodes: Nodes;
		const askers = new Set<string>();
		/** The sessions for whose connections it has asked. */
		const lookedAfter = new Set<string>();

		beforeEach(async () => {
			desk = new SessionDesk();
			pods = new MemoryPods();
			const specOf = ({ id, generation }: { id: string; generation: number }) => podSpecFor(id, generation);
			manager = podManager({ runtime: pods, specOf }, async () => {}, startingPerOwner);
			nodes = await startNodes(count, [manager.schema]);
		});
		afterEach(() => nodes.stop());

		async function openDesk(): Promise<void> {
			nodes.near.createService({
				name: sessionWork.name,
				actions: implement(sessionWork, {
					async claim_due({ limit, ids, starting_per_owner }, { kind, id }) {
						askers.add(`${kind} ${id}`);
						expect(starting_per_owner).to.equal(startingPerOwner);
						return desk.claim(limit, ids);
					},
					observe: (report) => desk.observe(report),
					model_of: async () => "",
					with_credential: async () => [],
					launch_of: async ({ id, generation }) => desk.launchOf(id, generation),
					expected: ({ ids, after }) => desk.expected(ids ? { ids } : { after }),
				}),
			});
			// A launch that gets no answer about the owner's connections is tried again some seconds later.
			nodes.near.createService({
				name: connections.name,
				actions: implement(connections, {
					usable: async () => [],
					async launch({ session_id }) {
						lookedAfter.add(session_id);
						return { mappings: [], warnings: [] };
					},
					connected: async () => [],
					unusable: async () => [],
					naming: async () => [],
				}),
			});
			await nodes.near.waitForServices([sessionWork.name, connections.name], 20_000, 10);
		}

		it("takes a session through its life, as a job of the platform", async () => {
			await openDesk();
			const id = randomUUID();
			const steps = [
				["run", 1, "ready"],
				["stop", 1, "absent"],
				["run", 2, "ready"],
				["purge", 2, "absent"],
			] as const;
			for (const [desired, generation, phase] of steps) {
				desk.want(id, desired, generation);
				await publish(nodes.near, sessionDue, { id });
				await eventually(() => desk.last(id)?.phase === phase, { what: `${desired} ends in ${phase}` });
			}
			expect(desk.last(id)?.purged).to.equal(true);
			expect([...pods.pods]).to.deep.equal([]);
			expect([...askers]).to.deep.equal(["system pod-manager"]);
		});

		it("begins when the sessions service starts, without a hint", async () => {
			const id = randomUUID();
			desk.want(id, "run");
			await openDesk();
			await eventually(() => desk.last(id)?.phase === "ready");
		});

		it("looks after a session that an earlier process has started, although no pass is due", async () => {
			const id = randomUUID();
			desk.want(id, "run");
			desk.settle(id);
			const pod = memoryPod(id, 1, "ready");
			// Nobody is told of a pod that was there before.
			pods.pods.set(pod.name, pod);
			await openDesk();
			await eventually(() => lookedAfter.has(id));
			expect(desk.sessions.get(id)?.fence, "no pass was made").to.equal(0);
		});

		it("touches no pod after it was stopped", async () => {
			await openDesk();
			await manager.stop();
			const id = randomUUID();
			desk.want(id, "run");
			await publish(nodes.near, sessionDue, { id });
			await nodes.stop();
			expect([...pods.pods]).to.deep.equal([]);
			expect(desk.sessions.get(id)?.fence).to.equal(0);
		});
	});
}
