import { expect } from "chai";
import { orAborted } from "#shared/base/concurrency/or-aborted.ts";
import { failureOf } from "../../../../support/failure-of.ts";

describe("orAborted()", () => {
	it("resolves and rejects as the work does", async () => {
		const { signal } = new AbortController();
		expect(await orAborted(Promise.resolve("done"), signal)).to.equal("done");
		const error = new Error("The work has failed");
		expect(await failureOf(orAborted(Promise.reject(error), signal))).to.equal(error);
	});

	it("rejects with the reason of a signal that aborts first, or has aborted, whatever becomes of the work", async () => {
		const ending = new AbortController();
		const work = Promise.withResolvers<string>();
		const waiting = orAborted(work.promise, ending.signal);
		const reason = new Error("Nobody waits any more");
		ending.abort(reason);
		expect(await failureOf(waiting)).to.equal(reason);
		expect(await failureOf(orAborted(work.promise, ending.signal))).to.equal(reason);
		work.reject(new Error("It has failed later"));
	});
});
