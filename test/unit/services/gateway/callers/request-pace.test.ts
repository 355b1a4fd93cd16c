import { expect } from "chai";
import type { Principal } from "#shared/base/principal.ts";
import { nextTurn } from "#shared/base/clock.ts";
import { RequestPace } from "#services/gateway/callers/request-pace.ts";
import { eventually } from "../../../../support/eventually.ts";

const person = (id: string): Principal => ({ kind: "user", id, tenant: "acme", roles: [] });
const [alice, bob] = [person("alice"), person("bob")];

/** Requests that end when the test lets them. */
class Crowd {
	readonly #pace: RequestPace;
	readonly under: PromiseWithResolvers<void>[] = [];
	readonly all: Promise<void>[] = [];

	constructor(pace: RequestPace) {
		this.#pace = pace;
	}

	ask(principal: Principal, count: number): void {
		for (let n = 0; n < count; n++) this.all.push(this.#pace.run(principal, () => this.#serve()));
	}

	#serve(): Promise<void> {
		const held = Promise.withResolvers<void>();
		this.under.push(held);
		return held.promise;
	}
}

describe("RequestPace", () => {
	it("does not delay a single person", () => {
		const crowd = new Crowd(new RequestPace());
		crowd.ask(alice, 100);
		expect(crowd.under).to.have.length(100);
	});

	it("processes two requests of a person at a time while others ask, and the next ones as these end", async () => {
		const pace = new RequestPace();
		await pace.run(bob, async () => {});
		const crowd = new Crowd(pace);
		crowd.ask(alice, 5);
		await eventually(() => crowd.under.length === 2);
		for (let turn = 0; turn < 5; turn++) await nextTurn();
		expect(crowd.under).to.have.length(2);
		crowd.ask(bob, 1);
		expect(crowd.under, "another one does not wait").to.have.length(3);
		for (let n = 0; n < 6; n++) {
			const next = await eventually(() => crowd.under[n]);
			next.resolve();
		}
		await Promise.all(crowd.all);
	});

	it("takes the programs of a person, who have tokens, for the person", async () => {
		const pace = new RequestPace();
		await pace.run(alice, async () => {});
		const crowd = new Crowd(pace);
		crowd.ask({ ...alice, kind: "pat" }, 50);
		crowd.ask(alice, 50);
		expect(crowd.under, "nobody else is present").to.have.length(100);
		crowd.ask({ kind: "pod", id: alice.id, tenant: alice.tenant, roles: [] }, 5);
		expect(crowd.under.length, "a pod is no person").to.be.at.most(102);
		for (let n = 0; n < 105; n++) (await eventually(() => crowd.under[n])).resolve();
		await Promise.all(crowd.all);
	});

	it("begins one request of a person in a turn of the event loop, even if each ends at once", async () => {
		const pace = new RequestPace();
		await pace.run(bob, async () => {});
		let served = 0;
		const all = Array.from({ length: 10 }, () => pace.run(alice, async () => void served++));
		let turn = 0;
		for (; served < all.length; turn++) {
			expect(served, `in turn ${turn}`).to.be.at.most(turn + 1);
			await nextTurn();
		}
		expect(turn).to.be.at.least(all.length - 1);
		await Promise.all(all);
	});

	it("does not count long requests, which wait for something else", async () => {
		const pace = new RequestPace();
		await pace.run(bob, async () => {});
		const crowd = new Crowd(pace);
		crowd.ask(alice, 4);
		await eventually(() => crowd.under.length === 4);
		for (const held of crowd.under) held.resolve();
		await Promise.all(crowd.all);
	});

	it("goes on when one of them fails", async () => {
		const pace = new RequestPace();
		await pace.run(bob, async () => {});
		const failing = Array.from({ length: 8 }, () => pace.run(alice, () => Promise.reject(new Error("failed"))));
		const outcomes = await Promise.allSettled(failing);
		expect(outcomes.every(({ status }) => status === "rejected")).to.equal(true);
		expect(await pace.run(alice, async () => "on")).to.equal("on");
	});
});
