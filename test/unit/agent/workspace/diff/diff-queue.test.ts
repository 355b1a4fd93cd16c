import { expect } from "chai";
import { DiffBusyError, DiffTimeoutError } from "#agent/workspace/diff/diff-errors.ts";
import { diffQueue } from "#agent/workspace/diff/diff-queue.ts";
import { failureOf } from "../../../../support/failure-of.ts";

describe("diffQueue()", () => {
	it("runs two comparisons at a time, the others in order, and refuses more than may wait", async () => {
		const queue = diffQueue(2);
		const begun: number[] = [];
		const works = [1, 2, 3, 4].map(() => Promise.withResolvers<void>());
		const running = works.map((work, index) => queue.run("", () => (begun.push(index), work.promise)));
		expect(await failureOf(queue.run("", async () => {}))).to.be.instanceOf(DiffBusyError);
		expect(begun).to.deep.equal([0, 1]);
		for (const work of works) work.resolve();
		await Promise.all(running);
		expect(begun).to.deep.equal([0, 1, 2, 3]);
	});

	it("refuses a comparison that has waited for too long", async () => {
		const queue = diffQueue(2, 20);
		const work = Promise.withResolvers<void>();
		const running = [1, 2].map(() => queue.run("", () => work.promise));
		expect(await failureOf(queue.run("", async () => {}))).to.be.instanceOf(DiffTimeoutError);
		work.resolve();
		await Promise.all(running);
	});
});
