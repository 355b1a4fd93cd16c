/** The requests of the reconciler to the sessions service when they fail. */
import { expect } from "chai";
import { randomUUID } from "node:crypto";
import { Reconciler, type Work } from "#services/pod-manager/reconciliation/reconciler.ts";
import { InvalidParametersError } from "#shared/base/errors.ts";
import { eventually } from "../../support/eventually.ts";
import { MemoryPods, podSpecFor } from "../../support/pods/memory-pods.ts";
import { SessionDesk } from "../../support/platform/session-gateway.ts";

describe("polls of the Reconciler", () => {
	let desk: SessionDesk;
	let said: string[];
	let reconciler: Reconciler | undefined;
	const id = randomUUID();

	beforeEach(() => {
		desk = new SessionDesk();
		said = [];
	});
	afterEach(() => reconciler?.stop());

	function start(work: Work): Reconciler {
		const dependencies = { runtime: new MemoryPods(), specOf: () => podSpecFor(id, 1) };
		reconciler = new Reconciler(dependencies, work, (sentence) => said.push(sentence));
		return reconciler;
	}

	it("asks at growing intervals while nobody answers, even with many hints (L14)", async () => {
		const times: number[] = [];
		const work: Work = {
			async claim() {
				times.push(performance.now());
				throw new Error("Nobody there");
			},
			observe: (report) => desk.observe(report),
		};
		start(work);
		await eventually(() => times.length === 5, { withinMs: 30_000 });
		const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
		// Timers round down.
		for (const [index, least] of [990, 990, 1_990, 3_990].entries()) expect(pauses[index]).to.be.above(least);
		const before = times.length;
		const begun = performance.now();
		await eventually(() => {
			reconciler?.hint();
			return times.length > before + 1;
		});
		expect(performance.now() - begun).to.be.above(900);
	}).timeout(60_000);

	it("claims due sessions although the state of another one cannot be read (H2)", async () => {
		const work: Work = {
			async claim(limit, ids) {
				if (ids) throw new Error("Not these");
				return desk.claim(limit);
			},
			observe: (report) => desk.observe(report),
		};
		desk.want(id, "run");
		start(work).look(randomUUID());
		await eventually(() => desk.last(id) !== undefined);
		await reconciler?.check();
	});

	it("drops an invalid id, and handles the changes that came with it (H2)", async () => {
		const poison = "ffffffff-ffff-ffff-ffff-ffffffffffff";
		const asked: string[][] = [];
		const work: Work = {
			async claim(limit, ids) {
				if (ids) asked.push(ids);
				if (ids?.includes(poison)) throw new InvalidParametersError([]);
				return desk.claim(limit, ids);
			},
			observe: (report) => desk.observe(report),
		};
		desk.want(id, "run");
		const session = desk.sessions.get(id);
		// Only a change makes the session due.
		if (session) session.dueAt = undefined;
		const running = start(work);
		for (const one of [poison, id, randomUUID()]) running.look(one);
		await eventually(() => desk.last(id) !== undefined);
		await running.check();
		const poisoned = () => asked.filter((ids) => ids.includes(poison)).length;
		const before = poisoned();
		expect(before).to.be.at.most(2);
		running.look(id);
		await eventually(() => asked.at(-1)?.includes(id));
		expect(poisoned()).to.equal(before);
		expect(said).to.deep.equal([]);
	});
});
