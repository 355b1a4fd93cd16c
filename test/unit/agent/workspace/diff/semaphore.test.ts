import { expect } from "chai";
import { Semaphore } from "#agent/workspace/diff/semaphore.ts";
import { DiffBusyError, DiffTimeoutError } from "#agent/workspace/diff/diff-errors.ts";
import { eventually } from "../../../../support/eventually.ts";

describe("Semaphore", () => {
	const never = new AbortController().signal;

	it("runs so many at a time, the others in order, and refuses more than may wait", async () => {
		const semaphore = new Semaphore(2, 2);
		const works = [1, 2, 3, 4].map(() => Promise.withResolvers<void>());
		const begun: number[] = [];
		const running = works.map((work, index) => semaphore.use(never, () => (begun.push(index), work.promise)));
		const refused = await semaphore.use(never, () => Promise.resolve()).catch((error: unknown) => error);
		expect(refused).to.be.instanceOf(DiffBusyError);
		expect(begun).to.deep.equal([0, 1]);
		works[1]?.resolve();
		await running[1];
		await eventually(() => begun.length === 3);
		for (const work of works) work.resolve();
		await Promise.all(running);
		expect(begun).to.deep.equal([0, 1, 2, 3]);
	});

	it("gives its place to the next also when the work fails", async () => {
		const semaphore = new Semaphore(1, 1);
		const failing = semaphore.use(never, () => Promise.reject(new Error("broken"))).catch(() => "failed");
		expect(await Promise.all([failing, semaphore.use(never, () => Promise.resolve("done"))])).to.deep.equal([
			"failed",
			"done",
		]);
	});

	it("stops waiting when the time is over", async () => {
		const semaphore = new Semaphore(1, 1);
		const work = Promise.withResolvers<void>();
		const first = semaphore.use(never, () => work.promise);
		const impatient = new AbortController();
		const second = semaphore.use(impatient.signal, () => Promise.resolve()).catch((error: unknown) => error);
		impatient.abort();
		expect(await second).to.be.instanceOf(DiffTimeoutError);
		work.resolve();
		await first;
		expect(await semaphore.use(never, () => Promise.resolve("free"))).to.equal("free");
	});
});
