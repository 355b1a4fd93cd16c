import { expect } from "chai";
import { GatheredWork } from "#shared/base/concurrency/gathered-work.ts";
import { KeyedQueues } from "#shared/base/concurrency/keyed-queues.ts";
import { now } from "#shared/base/clock.ts";
import { TimeoutError } from "#shared/base/errors.ts";
import { failureOf } from "../../../../support/failure-of.ts";

describe("GatheredWork", () => {
	it("does requests together that wait, without those whose callers have gone", async () => {
		const { promise: opened, resolve: open } = Promise.withResolvers<void>();
		const runs: (readonly string[])[] = [];
		const gathered = new GatheredWork<string, string>(async (_key, requests) => {
			runs.push(requests);
			await opened;
			return requests.map((request) => request.toUpperCase());
		});
		const first = gathered.run("account", "a");
		const gone = gathered.run("account", "b", 0);
		const others = [gathered.run("account", "c", now() + 60_000), gathered.run("account", "d")];
		open();
		expect(await first).to.equal("A");
		expect(await failureOf(gone)).to.be.instanceOf(TimeoutError);
		expect(await Promise.all(others)).to.deep.equal(["C", "D"]);
		expect(runs).to.deep.equal([["a"], ["c", "d"]]);
	});

	it("does nothing when all callers have gone", async () => {
		let runs = 0;
		const gathered = new GatheredWork<string, string>(async (_key, requests) => {
			runs++;
			return requests;
		});
		expect(await failureOf(gathered.run("account", "a", 0))).to.be.instanceOf(TimeoutError);
		expect(runs).to.equal(0);
		expect(await gathered.run("account", "b")).to.equal("b");
	});

	it("shares work that has not begun, and never work that has begun", async () => {
		const { promise: opened, resolve: open } = Promise.withResolvers<void>();
		let begun = 0;
		const work = new GatheredWork<void, void>(async () => {
			begun++;
			await opened;
		});
		const all = [work.run("a"), work.run("a"), work.run("a")];
		expect(begun).to.equal(1);
		open();
		await Promise.all(all);
		expect(begun, "one for the first, one for the other two").to.equal(2);
		await work.run("a");
		expect(begun).to.equal(3);
	});

	it("does at most so many requests in a run, takes turns with other works of the key, and fails those of a run alone", async () => {
		const turns = new KeyedQueues();
		const order: string[] = [];
		const gathered = new GatheredWork<string, void>(
			async (_key, requests) => {
				order.push(requests.join(""));
				if (requests.includes("b")) throw new Error("no");
			},
			{ most: 2, turns },
		);
		const { promise: opened, resolve: open } = Promise.withResolvers<void>();
		const other = turns.run("account", () => opened);
		const all = ["a", "b", "c"].map((request) => gathered.run("account", request));
		expect(order).to.deep.equal([]);
		open();
		await other;
		const outcomes = await Promise.allSettled(all);
		expect(order).to.deep.equal(["ab", "c"]);
		expect(outcomes.map(({ status }) => status)).to.deep.equal(["rejected", "rejected", "fulfilled"]);
	});
});
