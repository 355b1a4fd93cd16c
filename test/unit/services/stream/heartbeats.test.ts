import { expect } from "chai";
import type { Principal } from "#shared/base/principal.ts";
import type { Stats } from "#shared/contracts/sessions/usage.ts";
import { monotonic, turnClock } from "#shared/base/clock.ts";
import { Audience } from "#services/stream/audience.ts";
import { type HeartbeatGroup, Heartbeats } from "#services/stream/heartbeats.ts";
import { eventually } from "../../../support/eventually.ts";

const stats: Stats = {
	active_sessions: 1,
	total_sessions: 2,
	tokens_today: 3,
	local_tokens: 0,
	cloud_tokens: 3,
	cost_today: 0.5,
};

interface TestGroup extends HeartbeatGroup {
	changedAt: number;
}

/** Groups of so many people, whose statistics take a moment. */
class Crowd {
	readonly groups: TestGroup[];
	beats = 0;
	bare = 0;
	asked = 0;
	mostAtOnce = 0;
	isDown = false;
	#atOnce = 0;

	constructor(count: number) {
		this.groups = Array.from({ length: count }, (_, n) => {
			const principal: Principal = { kind: "user", id: `u${n}`, tenant: "t", roles: [] };
			return { audience: new Audience(principal), changedAt: -Infinity };
		});
	}

	/** Whether no request for statistics is under way. */
	get isIdle(): boolean {
		return this.#atOnce === 0;
	}

	heartbeats(everyMs: number, statsOf = () => this.#stats()): Heartbeats<TestGroup> {
		return new Heartbeats({
			everyMs,
			groups: () => this.groups,
			statsOf,
			send: (_group, frame) => {
				this.beats++;
				if (!frame) this.bare++;
			},
		});
	}

	async #stats(): Promise<Stats | undefined> {
		this.asked++;
		this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#atOnce);
		await new Promise((resolve) => setImmediate(resolve));
		this.#atOnce--;
		return this.isDown ? undefined : stats;
	}
}

/** The monotonic clock, as the test moves it; timers run in real time. */
function steppedClock() {
	let time = 1_000_000;
	let wall = Date.parse("2026-01-01T12:00:00Z");
	const turnBack = turnClock({ now: () => wall, monotonic: () => time });
	return {
		advance(ms: number) {
			time += ms;
			wall += ms;
		},
		[Symbol.dispose]: turnBack,
	};
}

/** The heartbeats of a crowd, moved through time by the test. */
function stepped(crowd: Crowd, everyMs: number) {
	const clock = steppedClock();
	const heartbeats = crowd.heartbeats(everyMs);
	// The first look gives each audience its time.
	heartbeats.look();
	return {
		/** Moves the time; resolves to the count of heartbeats when all that are due were sent. */
		async pass(ms: number): Promise<number> {
			clock.advance(ms);
			const before = crowd.beats;
			heartbeats.look();
			await eventually(() => crowd.isIdle, { everyMs: 1 });
			return crowd.beats - before;
		},
		[Symbol.dispose]: clock[Symbol.dispose],
	};
}

describe("Heartbeats", () => {
	it("reach 10,000 audiences, spread over the interval, with at most 32 requests for statistics at once (M7)", async () => {
		const crowd = new Crowd(10_000);
		using time = stepped(crowd, 30_000);
		const perSecond: number[] = [];
		for (let second = 0; second <= 30; second++) perSecond.push(await time.pass(1_000));
		expect(perSecond.reduce((sum, count) => sum + count, 0)).to.be.at.least(10_000);
		expect(Math.max(...perSecond)).to.be.lessThan(600);
		expect(crowd.mostAtOnce).to.be.within(2, 32);
	}).timeout(120_000);

	it("ask again only for those of whom something happened, and for all after five minutes or on the next day", async () => {
		const crowd = new Crowd(100);
		using time = stepped(crowd, 1_000);
		await time.pass(1_000);
		expect(crowd.asked).to.equal(100);
		expect(await time.pass(1_000)).to.equal(100);
		expect(crowd.asked, "nothing happened").to.equal(100);
		const [one] = crowd.groups;
		if (one) one.changedAt = monotonic() - 1_900;
		await time.pass(1_000);
		expect(crowd.asked, "an event came shortly before the last request").to.equal(101);
		await time.pass(1_000);
		expect(crowd.asked).to.equal(101);
		await time.pass(301_000);
		expect(crowd.asked, "all are older than five minutes").to.equal(201);
		await time.pass(12 * 3_600_000 - 306_000);
		const before = crowd.asked;
		await time.pass(2_000);
		expect(crowd.asked, "a new day").to.equal(before + 100);
	});

	it("are sent without statistics while these are not available, and are asked for again", async () => {
		const crowd = new Crowd(3);
		using time = stepped(crowd, 1_000);
		crowd.isDown = true;
		await time.pass(1_000);
		expect([crowd.beats, crowd.bare]).to.deep.equal([3, 3]);
		crowd.isDown = false;
		await time.pass(1_000);
		expect([crowd.beats, crowd.bare]).to.deep.equal([6, 3]);
	});

	it("reach everybody within the interval and two seconds while nobody answers for the statistics", () => {
		const crowd = new Crowd(100);
		using clock = steppedClock();
		const heartbeats = crowd.heartbeats(1_000, () => new Promise(() => {}));
		const pass = (ms: number) => {
			clock.advance(ms);
			heartbeats.look();
			return crowd.beats;
		};
		expect([pass(0), pass(1_000), pass(1_000)], "they wait for a while").to.deep.equal([0, 0, 0]);
		expect(pass(1_001)).to.equal(100);
		expect(pass(500)).to.equal(100);
		expect([pass(2_501), crowd.bare]).to.deep.equal([200, 200]);
	});

	it("go on by themselves from their start to their stop", async () => {
		const crowd = new Crowd(3);
		const heartbeats = crowd.heartbeats(20);
		heartbeats.start();
		await eventually(() => crowd.beats >= 9);
		heartbeats.stop();
	});
});
