import { expect } from "chai";
import { KeyedQueues } from "#shared/base/concurrency/keyed-queues.ts";
import { nextTurn, now, turnClock } from "#shared/base/clock.ts";
import { TimeoutError } from "#shared/base/errors.ts";
import { failureOf } from "../../../../support/failure-of.ts";

/** The tolerance of deadlines for clocks of two machines, in milliseconds. */
const clockSkewMs = 2_000;

function gate() {
	let open = () => {};
	const opened = new Promise<void>((resolve) => {
		open = resolve;
	});
	return { open, opened };
}

describe("KeyedQueues", () => {
	it("runs work of one key in order, also after a failure, and of other keys concurrently", async () => {
		const turns = new KeyedQueues();
		const { open, opened } = gate();
		const done: string[] = [];
		const first = turns.run("a", async () => {
			await opened;
			done.push("first");
			throw new Error("no");
		});
		const second = turns.run("a", async () => done.push("second"));
		await turns.run("b", async () => done.push("other"));
		open();
		expect(await first.catch(String)).to.equal("Error: no");
		await second;
		expect(done).to.deep.equal(["other", "first", "second"]);
	});

	it("does not begin work whose caller has gone while it waited, and nobody waits longer for it", async () => {
		const turns = new KeyedQueues();
		const { open, opened } = gate();
		const done: string[] = [];
		const first = turns.run("a", () => opened);
		const gone = turns.run("a", async () => done.push("gone"), { deadline: now() - 1 - clockSkewMs });
		const patient = turns.run("a", async () => done.push("patient"), { deadline: now() + 60_000 });
		open();
		await first;
		expect(await failureOf(gone)).to.be.instanceOf(TimeoutError);
		await patient;
		expect(done).to.deep.equal(["patient"]);
		expect(await failureOf(turns.run("a", async () => done.push("late"), { deadline: 0 }))).to.be.instanceOf(
			TimeoutError,
		);
		expect(done, "also when nothing is under way").to.deep.equal(["patient"]);
	});

	it("keeps no queue of a key without work", async () => {
		const turns = new KeyedQueues();
		const { open, opened } = gate();
		const all = [1, 2, 3].map(() => turns.run("a", () => opened));
		expect(turns.isBusy("a")).to.equal(true);
		open();
		await Promise.all(all);
		expect(turns.isBusy("a")).to.equal(false);
		const again = turns.run("a", async () => "again");
		expect([turns.isBusy("a"), await again, turns.isBusy("a")]).to.deep.equal([true, "again", false]);
	});

	it("keeps the queue of a key that has work again when the last of the former ones is refused", async () => {
		const turns = new KeyedQueues();
		const [first, again] = [gate(), gate()];
		const under = turns.run("a", () => first.opened);
		const gone = failureOf(turns.run("a", async () => {}, { deadline: now() - 1 }));
		const at = now();
		const turnBack = turnClock({ now: () => at + 10_000, monotonic: () => performance.now() });
		const next = under.then(() => turns.run("a", () => again.opened));
		first.open();
		expect(await gone).to.be.instanceOf(TimeoutError);
		turnBack();
		await nextTurn();
		expect(turns.isBusy("a")).to.equal(true);
		again.open();
		await next;
	});
});
