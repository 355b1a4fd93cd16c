import { expect } from "chai";
import { ChangeQueue } from "#services/sessions/record/change-queue.ts";
import { type Principal, systemPrincipal } from "#shared/base/principal.ts";
import { now } from "#shared/base/clock.ts";
import { TooManyRequestsError } from "#shared/base/errors.ts";
import { failureOf } from "../../../../support/failure-of.ts";

const ada: Principal = { kind: "user", id: "ada", tenant: "acme", roles: [] };
const bob: Principal = { ...ada, id: "bob" };
const job = systemPrincipal("test");

/** A change that ends when the test says so. */
function held(): { end: () => void; change: () => Promise<string> } {
	const { promise, resolve } = Promise.withResolvers<string>();
	return { end: () => resolve("held"), change: () => promise };
}

/** The refused ones of so many concurrent requests. */
async function refusedOf(asked: readonly Promise<unknown>[]): Promise<unknown[]> {
	const outcomes = await Promise.allSettled(asked);
	return outcomes.filter(({ status }) => status === "rejected").map((one) => (one as PromiseRejectedResult).reason);
}

describe("ChangeQueue", () => {
	it("makes the changes of one thing in their order, jobs of the platform first, and of others meanwhile (H4)", async () => {
		const queue = new ChangeQueue();
		const { end, change } = held();
		const done: string[] = [];
		const noting = (what: string) => async () => done.push(what);
		const first = queue.run("a", { principal: ada }, change);
		const waiting = [
			queue.run("a", { principal: ada }, noting("ada")),
			queue.run("a", { principal: bob }, async () => {
				done.push("bob");
				throw new TypeError("no");
			}),
			queue.run("a", { principal: job }, noting("job")),
			queue.run("a", { principal: job }, noting("other job")),
		];
		await queue.run("b", { principal: ada }, noting("elsewhere"));
		end();
		expect(await first).to.equal("held");
		expect(await refusedOf(waiting)).to.have.length(1);
		expect(done).to.deep.equal(["elsewhere", "job", "other job", "ada", "bob"]);
		expect(queue.isBusy("a")).to.equal(false);
	});

	it("refuses a principal's excess changes of one object, and nobody else's (H4)", async () => {
		const queue = new ChangeQueue();
		const { end, change } = held();
		const first = queue.run("a", { principal: bob }, change);
		const all = Array.from({ length: 250 }, () => queue.run("a", { principal: ada }, async () => "done"));
		const others = [bob, { ...ada, tenant: "other" }, job].map((principal) =>
			queue.run("a", { principal }, async () => "done"),
		);
		const jobs = Array.from({ length: 250 }, () => queue.run("a", { principal: job }, async () => "done"));
		end();
		await first;
		const refused = await refusedOf(all);
		expect(refused).to.have.length(250 - 64);
		for (const error of refused) expect(error).to.be.instanceOf(TooManyRequestsError);
		await Promise.all([...others, ...jobs]);
	});

	it("does not count a change that has begun among those that wait", async () => {
		const queue = new ChangeQueue();
		const [first, second] = [held(), held()];
		const all = [first, second].map(({ change }) => queue.run("a", { principal: ada }, change));
		first.end();
		await all[0];
		const waiting = Array.from({ length: 65 }, () => queue.run("a", { principal: ada }, async () => "done"));
		second.end();
		expect(await refusedOf([...all, ...waiting])).to.have.length(1);
	});

	it("refuses a principal's excess changes of many objects (H4)", async () => {
		const queue = new ChangeQueue();
		const keys = Array.from({ length: 8 }, (_one, n) => `thing ${n}`);
		const holds = keys.map(() => held());
		const running = keys.map((key, n) => queue.run(key, { principal: bob }, holds[n]?.change ?? (async () => "")));
		const all = keys.flatMap((key) =>
			Array.from({ length: 32 }, () => queue.run(key, { principal: ada }, async () => "done")),
		);
		for (const { end } of holds) end();
		await Promise.all(running);
		expect(await refusedOf(all)).to.have.length(256 - 128);
		const again = keys.map((key) => queue.run(key, { principal: ada }, async () => "done"));
		expect(await refusedOf(again), "who has waited before").to.deep.equal([]);
	});

	it("skips a change whose caller has left, and goes on after it (H4)", async () => {
		const queue = new ChangeQueue();
		const { end, change } = held();
		const done: string[] = [];
		const first = queue.run("a", { principal: ada }, change);
		const late = queue.run("a", { principal: ada, deadline: now() - 5_000 }, async () => done.push("late"));
		const next = queue.run("a", { principal: ada, deadline: now() + 60_000 }, async () => done.push("next"));
		end();
		await first;
		expect(await failureOf(late)).to.be.instanceOf(TooManyRequestsError);
		await next;
		expect(done).to.deep.equal(["next"]);
	});

	it("refuses a change that has waited for too long, while the one before it goes on", async () => {
		const queue = new ChangeQueue(20);
		const { end, change } = held();
		const first = queue.run("a", { principal: ada }, change);
		const patient = queue.run("a", { principal: job }, async () => "done");
		expect(await failureOf(queue.run("a", { principal: ada }, change))).to.be.instanceOf(TooManyRequestsError);
		end();
		expect([await first, await patient]).to.deep.equal(["held", "done"]);
	});

	it("repeats a change that lost a race, and fails in the end", async () => {
		const queue = new ChangeQueue();
		let races = 0;
		expect(await queue.run("a", { principal: ada }, async () => (races++ < 3 ? undefined : races))).to.equal(4);
		const lost = await failureOf(queue.run("a", { principal: ada }, async () => undefined));
		expect(lost).to.include({ code: 429, type: "BUSY" });
		expect(queue.isBusy("a")).to.equal(false);
	});
});
