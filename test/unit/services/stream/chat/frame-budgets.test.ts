import { expect } from "chai";
import { turnClock } from "#shared/base/clock.ts";
import { FrameBudgets } from "#services/stream/chat/frame-budgets.ts";

describe("FrameBudgets", () => {
	let time = 0;
	let putBack: () => void;

	before(() => {
		putBack = turnClock({ now: () => time, monotonic: () => time });
	});

	after(() => putBack());

	const open = new Promise<void>(() => {});

	it("are shared by the chats of a session, and those of a person over all sessions", () => {
		const budgets = new FrameBudgets();
		const [session, person] = budgets.take("s1", "alice", open);
		const [again] = budgets.take("s1", "bob", open);
		const [other, same] = budgets.take("s2", "alice", open);
		expect(again).to.equal(session);
		expect(other).not.to.equal(session);
		expect(same).to.equal(person);
	});

	it("are forgotten after the last chat, but not as long as something is owed", async () => {
		const budgets = new FrameBudgets();
		const { promise, resolve } = Promise.withResolvers<void>();
		const [session] = budgets.take("s1", "alice", promise);
		session?.spend(100_000_000);
		resolve();
		await promise;
		await Promise.resolve();
		expect(budgets.take("s1", "alice", Promise.resolve())[0]).to.equal(session);
		await Promise.resolve();
		await Promise.resolve();
		time += 10_000;
		budgets.take("s2", "bob", open);
		expect(budgets.size).to.equal(2);
	});
});
