import { expect } from "chai";
import { randomUUID } from "node:crypto";
import { Reconciler, type Work } from "#services/pod-manager/reconciliation/reconciler.ts";
import { eventually } from "../../support/eventually.ts";
import { MemoryPods, podSpecFor } from "../../support/pods/memory-pods.ts";
import { SessionDesk } from "../../support/platform/session-gateway.ts";

describe("Reconcilers that hear the same changes", () => {
	it("leave a change to the one that made the last pass, and come half a second later", async () => {
		await using ongoing = new AsyncDisposableStack();
		const desk = new SessionDesk();
		const id = randomUUID();
		const asked: { readonly ids: readonly string[]; readonly at: number }[] = [];
		const work: Work = {
			claim(limit, ids, underWay) {
				if (ids) asked.push({ ids, at: performance.now() });
				return desk.claim(limit, ids, underWay);
			},
			observe: (report) => desk.observe(report),
		};
		const reconciler = new Reconciler(
			{ runtime: new MemoryPods(), specOf: (claim) => podSpecFor(claim.id, claim.generation) },
			work,
			() => {},
		);
		ongoing.defer(() => reconciler.stop());
		const other = randomUUID();
		desk.want(id, "run");
		await eventually(() => desk.last(id)?.phase === "ready", { what: "ready is reported" });
		asked.length = 0;
		const at = performance.now();
		for (let times = 0; times < 3; times++) reconciler.look(other);
		reconciler.look(id);
		await eventually(() => asked.some(({ ids }) => ids.includes(other)), { what: "the other session is claimed" });
		const timesOf = (session: string) => asked.filter(({ ids }) => ids.includes(session)).map((each) => each.at - at);
		expect(timesOf(id)[0]).to.be.below(timesOf(other)[0] ?? 0);
		expect(timesOf(other)).to.have.length(1);
		expect(timesOf(other)[0]).to.be.at.least(450);
	});

	it("count a pass that is under way: its changes are looked at when it ends", async () => {
		await using ongoing = new AsyncDisposableStack();
		const desk = new SessionDesk();
		const id = randomUUID();
		const reported = Promise.withResolvers<void>();
		const gate = Promise.withResolvers<void>();
		let askedAt = Infinity;
		const work: Work = {
			claim(limit, ids, underWay) {
				if (ids?.includes(id)) askedAt = Math.min(askedAt, performance.now());
				return desk.claim(limit, ids, underWay);
			},
			async observe(report) {
				reported.resolve();
				await gate.promise;
				return desk.observe(report);
			},
		};
		const runtime = new MemoryPods();
		runtime.watch = () => {};
		const specOf = (claim: { id: string; generation: number }) => podSpecFor(claim.id, claim.generation);
		const reconciler = new Reconciler({ runtime, specOf }, work, () => {});
		ongoing.defer(() => reconciler.stop());
		desk.want(id, "run");
		await reported.promise;
		reconciler.look(id);
		const at = performance.now();
		gate.resolve();
		await eventually(() => askedAt < Infinity, { what: "the session is claimed again" });
		expect(askedAt - at).to.be.below(450);
	});
});
