import { expect } from "chai";
import { CallPace, type CallKind } from "#shared/kubernetes/api/call-pace.ts";
import { ApiError } from "#shared/kubernetes/api/api-error.ts";

const never = new AbortController().signal;

describe("The pace of calls", () => {
	it("lets a burst through at once, and then so many a second", async () => {
		const pace = new CallPace({ perSecond: 100, burst: 20 });
		const from = performance.now();
		for (let call = 0; call < 20; call++) await pace.turn("read", never);
		expect(performance.now() - from).to.be.below(100);
		await Promise.all(Array.from({ length: 30 }, () => pace.turn("read", never)));
		expect(performance.now() - from).to.be.at.least(280);
	});

	it("lets writes go first, and calls of a kind in their order", async () => {
		const pace = new CallPace({ perSecond: 200, burst: 1 });
		await pace.turn("read", never);
		const order: string[] = [];
		const kinds: readonly CallKind[] = ["read", "read", "write", "write"];
		await Promise.all(kinds.map((kind, at) => pace.turn(kind, never).then(() => order.push(`${kind} ${at}`))));
		expect(order).to.deep.equal(["write 2", "write 3", "read 0", "read 1"]);
	});

	it("forgets a call that is given up while it waits, without using its turn", async () => {
		const pace = new CallPace({ perSecond: 20, burst: 1 });
		await pace.turn("read", never);
		const ending = new AbortController();
		const given = pace.turn("write", ending.signal);
		const from = performance.now();
		const other = pace.turn("read", never);
		ending.abort();
		await given;
		expect(performance.now() - from).to.be.below(40);
		await other;
		expect(performance.now() - from).to.be.below(150);
	});

	it("refuses calls beyond those that may wait", async () => {
		const pace = new CallPace({ perSecond: 1, burst: 0.5 });
		const ending = new AbortController();
		const waiting = Array.from({ length: 2_000 }, () => pace.turn("read", ending.signal));
		const refused: unknown = await pace.turn("read", ending.signal).catch((error: unknown) => error);
		expect(refused).to.be.instanceOf(ApiError).with.property("reason", "TooManyCalls");
		ending.abort();
		await Promise.all(waiting);
	});
});
