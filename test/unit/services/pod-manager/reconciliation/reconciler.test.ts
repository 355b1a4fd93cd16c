import { expect } from "chai";
import { randomUUID } from "node:crypto";
import type { PodRuntime, PodSpec } from "#services/pod-manager/pod-runtime.ts";
import { Reconciler, type Work } from "#services/pod-manager/reconciliation/reconciler.ts";
import { turnClock } from "#shared/base/clock.ts";
import type { Claim, PassReport } from "#shared/contracts/sessions/session-work.ts";
import { eventually } from "../../../../support/eventually.ts";
import { MemoryPods, memoryPod, podSpecFor } from "../../../../support/pods/memory-pods.ts";
import { SessionDesk } from "../../../../support/platform/session-gateway.ts";

function specOf({ id, generation }: Claim): PodSpec {
	return podSpecFor(id, generation);
}

describe("Reconciler", () => {
	let desk: SessionDesk;
	let pods: MemoryPods;
	let said: string[];
	let reconciler: Reconciler | undefined;
	const id = randomUUID();

	beforeEach(() => {
		desk = new SessionDesk();
		pods = new MemoryPods();
		said = [];
	});
	afterEach(() => reconciler?.stop());

	function start({ runtime = pods, work = desk }: { runtime?: PodRuntime; work?: Work } = {}): Reconciler {
		reconciler = new Reconciler({ runtime, specOf }, work, (sentence) => said.push(sentence));
		return reconciler;
	}

	function observed(session: string, phase: string, withinMs = 3_000): Promise<unknown> {
		return eventually(() => desk.last(session)?.phase === phase, { withinMs, what: `${phase} is reported` });
	}

	it("brings sessions to the desired state, at the speed of their pods", async () => {
		start();
		desk.want(id, "run");
		// The change comes before the session is due again: the runtime reports that the pod changed.
		await observed(id, "ready", 800);
		expect(desk.last(id)).to.include({ pod_name: `session-${id}-g1`, address: "http://127.0.0.1:9" });
		desk.want(id, "stop");
		reconciler?.hint();
		await observed(id, "absent");
		expect([...pods.pods]).to.deep.equal([]);
		expect(pods.purged.has(id)).to.equal(false);
		desk.want(id, "purge");
		reconciler?.hint();
		await eventually(() => desk.last(id)?.purged);
		expect(pods.purged.has(id)).to.equal(true);
		expect(pods.workspaces.has(id), "its workspace stays").to.equal(true);
		expect(said).to.deep.equal([]);
	});

	it("replaces the pod of an older launch only when that has ended", async () => {
		pods.put(memoryPod(id, 1, "ready"));
		desk.want(id, "run", 2);
		start();
		await observed(id, "ready");
		expect(desk.sessions.get(id)?.observed.map(({ phase }) => phase)).to.include("blocked");
		expect([...pods.pods.keys()]).to.deep.equal([`session-${id}-g2`]);
	});

	it("looks at once when hinted", async () => {
		start();
		for (let round = 0; round < 5; round++) {
			const session = randomUUID();
			desk.want(session, "run");
			reconciler?.hint();
			await eventually(() => pods.ofSession(session).length === 1, { withinMs: 500 });
		}
	});

	it("goes on at once when a session is claimed again before its report is answered", async () => {
		class HastyDesk extends SessionDesk {
			override async observe(report: PassReport): Promise<boolean> {
				const taken = await super.observe(report);
				if (report.observed.phase !== "launching") return taken;
				this.want(report.id, "stop");
				reconciler?.hint();
				await eventually(() => this.sessions.get(report.id)?.fence !== report.fence);
				return taken;
			}
		}
		desk = new HastyDesk();
		desk.want(id, "run");
		start();
		await observed(id, "absent", 2_000);
	});

	it("learns from the runtime that a pod was lost, long before the session is due", async () => {
		desk.want(id, "run");
		start();
		await observed(id, "ready");
		pods.put(memoryPod(id, 1, "gone"));
		await observed(id, "failed", 900);
		expect(desk.last(id)?.failure?.code).to.equal("POD_LOST");
	});

	it("forgets the owner of a session that has no pod any more, whoever has seen the end", async () => {
		start();
		desk.want(id, "run");
		await observed(id, "ready");
		reconciler?.keepOnly(new Set([id]));
		reconciler?.keepOnly(new Set([randomUUID()]));
		const changed = performance.now();
		pods.put({ ...memoryPod(id, 1, "gone") });
		await observed(id, "failed");
		expect(performance.now() - changed, "the pause before a session of another pod manager").to.be.at.least(400);
	});

	it("runs 16 passes of one owner at a time, one for each session, until all are done", async () => {
		const running = new Map<string, number>();
		let most = 0;
		class SlowPods extends MemoryPods {
			override async find(sessionId: string) {
				running.set(sessionId, (running.get(sessionId) ?? 0) + 1);
				most = Math.max(most, running.size);
				expect(running.get(sessionId)).to.equal(1);
				await new Promise(setImmediate);
				await new Promise(setImmediate);
				running.delete(sessionId);
				return super.find(sessionId);
			}
		}
		pods = new SlowPods();
		const ids = Array.from({ length: 100 }, () => randomUUID());
		for (const session of ids) desk.want(session, "run");
		start({ runtime: pods });
		await eventually(() => ids.every((session) => desk.last(session)?.phase === "ready"), { withinMs: 1_500 });
		expect(most).to.equal(16);
		expect(said).to.deep.equal([]);
	});

	it("runs the passes of one owner while those of another one last, due or changed", async () => {
		const slow = Promise.withResolvers<void>();
		const isSlow = new Set<string>();
		class SlowPods extends MemoryPods {
			override async find(sessionId: string) {
				if (isSlow.has(sessionId)) await slow.promise;
				return super.find(sessionId);
			}
		}
		pods = new SlowPods();
		const crowd = Array.from({ length: 100 }, () => randomUUID());
		for (const session of crowd) desk.want(session, "run");
		desk.want(id, "run", 1, "grace");
		start({ runtime: pods });
		await eventually(() => [...crowd, id].every((one) => desk.last(one)?.phase === "ready"), { withinMs: 5_000 });
		for (const session of crowd) {
			isSlow.add(session);
			pods.put(memoryPod(session, 1, "gone"));
		}
		pods.put(memoryPod(id, 1, "gone"));
		await observed(id, "failed", 900);
		expect(crowd.some((session) => desk.last(session)?.phase === "failed")).to.equal(false);
		desk.want(id, "run", 2);
		reconciler?.hint();
		await observed(id, "ready", 900);
		slow.resolve();
		await eventually(() => crowd.every((session) => desk.last(session)?.phase === "failed"), { withinMs: 1_500 });
	});

	it("reports what it found when a step fails, waits, says so once, and goes on", async () => {
		let full = true;
		class FullPods extends MemoryPods {
			override async create(spec: PodSpec) {
				if (full) throw new Error("No space left on the device");
				return super.create(spec);
			}
		}
		pods = new FullPods();
		const other = randomUUID();
		desk.want(id, "run");
		desk.want(other, "run");
		start({ runtime: pods });
		await observed(id, "absent");
		await observed(other, "absent");
		expect(desk.sessions.get(id)?.dueInMs[0]).to.be.within(500, 1_000);
		expect(said).to.have.lengthOf(1);
		expect(said[0]).to.match(/^A pass over session "[0-9a-f-]+" failed: No space left on the device$/);
		full = false;
		await observed(id, "ready", 5_000);
	});

	it("reports nothing when it cannot see the pods", async () => {
		let blind = true;
		class BlindPods extends MemoryPods {
			override async find(sessionId: string) {
				if (blind) throw new Error("Too many open files");
				return super.find(sessionId);
			}
		}
		pods = new BlindPods();
		desk.want(id, "run");
		start({ runtime: pods });
		await eventually(() => said.length === 1);
		expect(desk.last(id)).to.equal(undefined);
		blind = false;
		const session = desk.sessions.get(id);
		if (session) session.leasedUntil = session.dueAt = 0;
		reconciler?.hint();
		await observed(id, "ready");
	});

	it("changes nothing after nine seconds of a pass", async () => {
		let ahead = 0;
		const turnBack = turnClock({ now: () => Date.now(), monotonic: () => performance.now() + ahead });
		class FrozenPods extends MemoryPods {
			override async find(sessionId: string) {
				const found = await super.find(sessionId);
				ahead += 9_001;
				return found;
			}
		}
		try {
			pods = new FrozenPods();
			start({ runtime: pods });
			desk.want(id, "run");
			await observed(id, "absent");
			expect([...pods.pods]).to.deep.equal([]);
			expect(said).to.deep.equal([`A pass over session "${id}" failed: A pass took longer than 9000 ms`]);
		} finally {
			turnBack();
		}
	});

	it("keeps asking while the sessions service is down, and logs it once", async () => {
		let away = true;
		let asked = 0;
		const work: Work = {
			async claim(limit, ids) {
				asked++;
				if (away) throw new Error("Nobody there");
				return desk.claim(limit, ids);
			},
			observe: (report) => desk.observe(report),
		};
		start({ work });
		desk.want(id, "run");
		await eventually(() => asked === 2);
		expect(said).to.deep.equal([]);
		await eventually(() => {
			reconciler?.hint();
			return said.length > 0;
		});
		expect(said).to.deep.equal(["Cannot ask which sessions are due: Nobody there"]);
		away = false;
		reconciler?.hint();
		await observed(id, "ready");
	});

	it("forgets a pass whose report is refused: a newer lease has taken over", async () => {
		const work: Work = {
			claim: (limit, ids) => desk.claim(limit, ids),
			observe: (report) => desk.observe({ ...report, fence: report.fence - 1 }),
		};
		start({ work });
		desk.want(id, "run");
		await eventually(() => pods.ofSession(id).length === 1);
		await reconciler?.stop();
		expect(desk.last(id)).to.equal(undefined);
		expect(said).to.deep.equal([]);
	});

	it("runs a second pass only after one that outlives its lease", async () => {
		const gate = Promise.withResolvers<void>();
		let looks = 0;
		class StuckPods extends MemoryPods {
			override async find(sessionId: string) {
				looks++;
				await gate.promise;
				return super.find(sessionId);
			}
		}
		pods = new StuckPods();
		desk.want(id, "run");
		const running = start({ runtime: pods });
		await eventually(() => looks === 1);
		const session = desk.sessions.get(id);
		if (session) session.leasedUntil = session.dueAt = 0;
		running.hint();
		await eventually(() => session?.fence === 2);
		expect(looks).to.equal(1);
		expect(desk.last(id)).to.equal(undefined);
		gate.resolve();
		await running.stop();
		expect(looks).to.equal(2);
		expect(desk.last(id)?.phase).to.equal("launching");
	});

	it("waits at its end for the passes under way, and claims nothing afterwards", async () => {
		const gate = Promise.withResolvers<void>();
		class GatedPods extends MemoryPods {
			override async find(sessionId: string) {
				await gate.promise;
				return super.find(sessionId);
			}
		}
		pods = new GatedPods();
		const running = start({ runtime: pods });
		desk.want(id, "run");
		await eventually(() => (desk.sessions.get(id)?.fence ?? 0) > 0);
		let over = false;
		const ended = running.stop().then(() => {
			over = true;
		});
		await new Promise(setImmediate);
		expect(over).to.equal(false);
		gate.resolve();
		await ended;
		expect(desk.last(id)?.phase).to.equal("launching");
		const { fence } = desk.sessions.get(id) ?? {};
		desk.want(id, "stop");
		running.hint();
		await new Promise(setImmediate);
		expect(desk.sessions.get(id)?.fence).to.equal(fence);
	});
});
