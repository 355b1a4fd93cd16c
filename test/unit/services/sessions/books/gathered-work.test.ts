import { expect } from "chai";
import { GatheredWork } from "#services/sessions/books/gathered-work.ts";
import { KeyedMutex } from "#services/sessions/record/keyed-mutex.ts";
import { now } from "#shared/base/clock.ts";
import { TimeoutError } from "#shared/base/errors.ts";
import { failureOf } from "../../../../support/failure-of.ts";

describe("GatheredWork", () => {
	it("does requests together that wait, without those whose callers have gone", async () => {
		const { promise: opened, resolve: open } = Promise.withResolvers<void>();
		const runs: (readonly string[])[] = [];
		const gathered = new GatheredWork<string, string>(new KeyedMutex(), async (_key, requests) => {
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
		const gathered = new GatheredWork<string, string>(new KeyedMutex(), async (_key, requests) => {
			runs++;
			return requests;
		});
		expect(await failureOf(gathered.run("account", "a", 0))).to.be.instanceOf(TimeoutError);
		expect(runs).to.equal(0);
		expect(await gathered.run("account", "b")).to.equal("b");
	});
});
