import { expect } from "chai";
import type { Principal } from "#shared/base/principal.ts";
import { turnClock } from "#shared/base/clock.ts";
import type { Limits } from "#shared/config/limits.ts";
import { TooManyRequestsError } from "#shared/base/errors.ts";
import { RequestLimits } from "#services/gateway/callers/request-limits.ts";

const none = Infinity;
const off: Limits = {
	requestsPerSecond: none,
	burst: 100,
	inFlightPerUser: none,
	inFlightPerTenant: none,
	runningPerUser: none,
	runningPerTenant: none,
};
const person = (id: string, tenant = "acme", kind: Principal["kind"] = "user"): Principal => ({
	kind,
	id,
	tenant,
	roles: [],
});
const [alice, bob, carol] = [person("alice"), person("bob"), person("carol", "other")];

/** Whether a request was refused with 429. */
function isRefused(ask: () => unknown): boolean {
	try {
		ask();
		return false;
	} catch (error) {
		expect(error).to.be.instanceOf(TooManyRequestsError);
		return true;
	}
}

describe("RequestLimits", () => {
	let at = 1_000;
	let restore: () => void;
	beforeEach(() => {
		restore = turnClock({ now: () => at, monotonic: () => at });
	});
	afterEach(() => restore());

	function admitted(limits: RequestLimits, principal: Principal, asked: number): number {
		return Array.from({ length: asked }, () => isRefused(() => limits.count(principal))).filter((no) => !no).length;
	}

	it("lets a burst begin, then as many requests in a second as it says, for each person", () => {
		const limits = new RequestLimits({ ...off, requestsPerSecond: 5, burst: 10 });
		expect(admitted(limits, alice, 30)).to.equal(10);
		expect(admitted(limits, bob, 30), "another person").to.equal(10);
		expect(admitted(limits, person("alice", "other"), 30), "the namesake of another tenant").to.equal(10);
		at += 1_000;
		expect(admitted(limits, alice, 30)).to.equal(5);
		at += 60_000;
		expect(admitted(limits, alice, 30), "after a long pause").to.equal(10);
	});

	it("counts a person's programs with the person, and each pod alone", () => {
		const limits = new RequestLimits({ ...off, requestsPerSecond: 5, burst: 10 });
		expect(admitted(limits, alice, 6)).to.equal(6);
		expect(admitted(limits, person("alice", "acme", "pat"), 6)).to.equal(4);
		expect(admitted(limits, person("alice", "acme", "pod"), 30)).to.equal(10);
	});

	/** Begins a request whose body is there. */
	function working(limits: RequestLimits, principal: Principal) {
		const begun = limits.begin(principal);
		begun.work();
		return begun;
	}

	it("counts the pods of a person together, beside the person, and in their tenant", () => {
		const accountOf = ({ kind, tenant, id }: Principal) =>
			kind === "pod" ? { key: "pods of alice", tenant: "acme" } : { key: id, tenant };
		const limits = new RequestLimits({ ...off, requestsPerSecond: 5, burst: 10, inFlightPerTenant: 9 }, accountOf);
		const pods = ["s1", "s2", "s3"].map((id) => person(id, "", "pod"));
		expect(pods.map((pod) => admitted(limits, pod, 6))).to.deep.equal([6, 4, 0]);
		expect(admitted(limits, alice, 30)).to.equal(10);
		const began = Array.from({ length: 30 }, (_one, n) => !isRefused(() => working(limits, pods[n % 3] ?? alice)));
		expect(began.filter(Boolean)).to.have.length(9);
	});

	it("bounds the bytes of the bodies of a caller, until its requests end", () => {
		const limits = new RequestLimits({ ...off, inFlightPerUser: 64 });
		const begun = Array.from({ length: 20 }, () => limits.begin(alice));
		const taken = begun.filter((one) => !isRefused(() => one.received(1_000_000)));
		expect(taken).to.have.length(16);
		expect(
			isRefused(() => limits.begin(bob).received(1_000_000)),
			"another person",
		).to.equal(false);
		taken[0]?.end();
		expect(isRefused(() => begun[19]?.received(1_000_000))).to.equal(false);
	});

	it("holds the places of a request until it ends, by person and by tenant", () => {
		const limits = new RequestLimits({ ...off, inFlightPerUser: 12, inFlightPerTenant: 20 });
		const [first] = Array.from({ length: 12 }, () => working(limits, alice));
		const isFull = (principal: Principal) => isRefused(() => working(limits, principal));
		expect(isFull(alice), "her thirteenth").to.equal(true);
		for (let n = 0; n < 8; n++) working(limits, bob);
		expect(isFull(bob), "the tenant's twenty-first").to.equal(true);
		expect(isFull(carol), "another tenant").to.equal(false);
		first?.end();
		first?.end();
		expect(isFull(bob), "a place that was given back").to.equal(false);
		expect(isFull(bob), "given back once only").to.equal(true);
	});

	it("leaves every person eight places, whatever others of the tenant do", () => {
		const limits = new RequestLimits({ ...off, inFlightPerUser: 64, inFlightPerTenant: 128 });
		for (const one of [person("d1"), person("d2")]) for (let n = 0; n < 64; n++) working(limits, one);
		const taken = Array.from({ length: 20 }, () => isRefused(() => working(limits, person("d3"))));
		expect(taken.filter((no) => !no)).to.have.length(8);
		const strict = new RequestLimits({ ...off, inFlightPerUser: 2, inFlightPerTenant: 1 });
		expect([1, 2, 3].map(() => isRefused(() => working(strict, alice)))).to.deep.equal([false, false, true]);
	});

	it("gives requests that wait for their bodies no place of the tenant, and bounds them by person", () => {
		const limits = new RequestLimits({ ...off, inFlightPerUser: 64, inFlightPerTenant: 128 });
		const slow = ["d1", "d2", "d4"].flatMap((id) => Array.from({ length: 64 }, () => limits.begin(person(id))));
		expect(isRefused(() => limits.begin(person("d1")))).to.equal(true);
		const quick = Array.from({ length: 64 }, () => working(limits, person("d3")));
		expect(
			isRefused(() => working(limits, person("d3"))),
			"her sixty-fifth",
		).to.equal(true);
		for (const one of [...slow, ...quick]) one.end();
		expect(isRefused(() => limits.begin(person("d1")))).to.equal(false);
	});

	it("takes no place for a refused request", () => {
		const limits = new RequestLimits({ ...off, inFlightPerUser: 10, inFlightPerTenant: 10 });
		const held = Array.from({ length: 10 }, () => working(limits, alice));
		for (let i = 0; i < 20; i++) {
			const begun = limits.begin(alice);
			expect(isRefused(() => begun.work())).to.equal(true);
			begun.end();
		}
		for (const one of held) one.end();
		expect(isRefused(() => working(limits, alice))).to.equal(false);
	});

	it("limits nobody where there are no limits, and no public request", () => {
		expect(admitted(new RequestLimits(off), alice, 1_000)).to.equal(1_000);
		const strict = new RequestLimits({ ...off, requestsPerSecond: 1, burst: 1, inFlightPerUser: 1 });
		const anybody = person("", "", "anonymous");
		expect(admitted(strict, anybody, 100)).to.equal(100);
		for (let i = 0; i < 3; i++) expect(isRefused(() => strict.begin(anybody))).to.equal(false);
	});

	it("forgets people beyond its memory and still bounds those who come", () => {
		const limits = new RequestLimits({ ...off, requestsPerSecond: 1, burst: 1 });
		for (let i = 0; i < 50_000; i++) limits.count(person(`p${i}`));
		expect(admitted(limits, person("late"), 5)).to.equal(1);
	});
});
