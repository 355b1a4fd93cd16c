import { expect } from "chai";
import { KeyedMutex } from "#services/sessions/record/keyed-mutex.ts";
import { now } from "#shared/base/clock.ts";
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

describe("KeyedMutex", () => {
	it("runs work of one key in order, also after a failure, and of other keys concurrently", async () => {
		const turns = new KeyedMutex();
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
		const turns = new KeyedMutex();
		const { open, opened } = gate();
		const done: string[] = [];
		const first = turns.run("a", () => opened);
		const gone = turns.run("a", async () => done.push("gone"), now() - 1 - clockSkewMs);
		const patient = turns.run("a", async () => done.push("patient"), now() + 60_000);
		open();
		await first;
		expect(await failureOf(gone)).to.be.instanceOf(TimeoutError);
		await patient;
		expect(done).to.deep.equal(["patient"]);
		expect(await failureOf(turns.run("a", async () => done.push("late"), 0))).to.be.instanceOf(TimeoutError);
		expect(done, "also when nothing is under way").to.deep.equal(["patient"]);
	});

	it("shares work that has not begun, and never work that has begun", async () => {
		const turns = new KeyedMutex();
		const { open, opened } = gate();
		let begun = 0;
		const work = async () => {
			begun++;
			await opened;
		};
		const all = [turns.share("a", work), turns.share("a", work), turns.share("a", work)];
		expect(begun).to.equal(1);
		open();
		await Promise.all(all);
		expect(begun, "one for the first, one for the other two").to.equal(2);
		await turns.share("a", work);
		expect(begun).to.equal(3);
	});
});
