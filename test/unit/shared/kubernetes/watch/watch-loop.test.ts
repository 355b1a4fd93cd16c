/**
 * A watch loop against a server with every fault, thousands of times on a clock of its own: whatever has happened, it ends up with what
 * is there, and asks no more than once a second while nobody answers.
 */
import { expect } from "chai";
import { WatchLoop } from "#shared/kubernetes/watch/watch-loop.ts";
import { isLater } from "#shared/kubernetes/watch/resource-version.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import type { StoredObject } from "../../../../support/kubernetes/label-selection.ts";
import { SimulatedSource } from "../../../../support/kubernetes/simulated-source.ts";
import { seededRandom, VirtualClock } from "../../../../support/kubernetes/virtual-clock.ts";

const seeds = 2_000;
/** The clients that a server has forgotten need a list, and a dead connection shows after three silences. */
const convergesMs = 330_000;

/** A loop on a clock of its own, and what it has told. */
class Followed implements AsyncDisposable {
	readonly clock: VirtualClock;
	readonly source: SimulatedSource;
	readonly metrics = new Metrics();
	readonly loop: WatchLoop<StoredObject, { name: string; version: string }>;
	/** The versions that somebody has who looks at each name that is told. */
	readonly mirror = new Map<string, string>();
	/** Whether an object has ever gone back to an earlier version. */
	hasGoneBack = false;
	readonly #ending = new AbortController();
	readonly #run: Promise<void>;

	constructor(random = seededRandom(1)) {
		this.clock = new VirtualClock(random);
		this.source = new SimulatedSource(this.clock);
		this.loop = new WatchLoop({
			source: this.source,
			kind: "pods",
			metrics: this.metrics,
			clock: this.clock,
			project: ({ metadata: { name, resourceVersion = "", labels } }) => {
				if (labels?.["strange"] !== undefined) throw new TypeError("not understood");
				return { name, version: resourceVersion };
			},
			onChange: (name) => this.#look(name),
		});
		this.#run = this.loop.run(this.#ending.signal);
	}

	/** The versions that the loop has, by name. */
	get kept(): Record<string, string> {
		return Object.fromEntries(this.loop.list().map(({ name, version }) => [name, version]));
	}

	get isRight(): boolean {
		return JSON.stringify(sorted(this.kept)) === JSON.stringify(sorted(this.source.truth));
	}

	/** The number of objects that the comparisons have found wrong. */
	get drift(): number {
		return this.metrics.counter("atelier_cluster_watch_drift_total").at("pods").value;
	}

	requests(what: "list" | "watch", from = 0): number {
		return this.source.requests.filter((each) => each.what === what && each.at >= from).length;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#ending.abort();
		await this.clock.pass(1_000);
		await this.#run;
	}

	#look(name: string): void {
		const version = this.loop.get(name)?.version;
		const former = this.mirror.get(name);
		if (version === undefined) this.mirror.delete(name);
		else this.mirror.set(name, version);
		if (version !== undefined && former !== undefined && !isLater(version, former)) this.hasGoneBack = true;
	}
}

function sorted(record: Record<string, string>): [string, string][] {
	return Object.entries(record).toSorted(([one], [other]) => one.localeCompare(other));
}

/** The faults of the seeds; each sets something, or does something at once. */
const faults: readonly ((source: SimulatedSource, random: () => number) => void)[] = [
	(source) => {
		source.faults.isDown = true;
		source.endWatches();
	},
	(source) => source.endWatches(),
	(source) => source.endWatches(new Error("ECONNRESET")),
	({ faults: now }) => void (now.isSilent = true),
	({ faults: now }, random) => void (now.listStatus = [500, 503, 429, 401, 403, 410][Math.floor(random() * 6)]),
	({ faults: now }, random) => void (now.watchStatus = [500, 503, 429, 401, 403, 410, 504][Math.floor(random() * 7)]),
	({ faults: now, cluster }) => void (now.staleAt = cluster.version),
	({ faults: now }) => void (now.staleAt = 1_000),
	({ cluster }) => cluster.compact(),
	(source) =>
		source.say('{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}}\n'),
	(source) => source.say('{"type":"ERROR","object":{"kind":"Status","code":500,"message":"failed"}}\n'),
	(source) => source.say("<html>\n"),
	(source) => source.say('{"type":"MODIFIED","object":null}\n'),
	(source) => {
		source.say('{"type":"MODIFIED","obj');
		source.endWatches();
	},
	(source) => {
		source.faults.isDown = true;
		source.endWatches(new Error("ECONNRESET"));
		source.cluster.compact();
	},
];

async function follow(seed: number): Promise<void> {
	const random = seededRandom(seed);
	await using followed = new Followed(random);
	const { clock, source } = followed;
	for (let step = 0; step < 12; step++) {
		faults[Math.floor(random() * faults.length)]?.(source, random);
		const { isDown } = source.faults;
		const from = clock.monotonic();
		for (let change = Math.floor(random() * 6); change >= 0; change--) {
			source.disturb(random);
			await clock.pass(random() * 20_000);
		}
		const lasted = clock.monotonic() - from;
		if (isDown)
			expect(source.requests.filter(({ at }) => at >= from).length, `seed ${seed}`).to.be.at.most(lasted / 1_000 + 2);
		if (random() < 0.6) source.heal();
	}
	source.heal();
	await clock.pass(convergesMs, () => followed.isRight);
	expect(followed.kept, `seed ${seed}`).to.deep.equal(source.truth);
	expect(Object.fromEntries(followed.mirror), `seed ${seed}`).to.deep.equal(source.truth);
	expect([followed.hasGoneBack, followed.drift], `seed ${seed}`).to.deep.equal([false, 0]);
}

describe("A watch loop", function () {
	this.timeout(60_000);

	it(`has what is there after any faults, and asks at most once a second meanwhile: ${seeds} seeds`, async () => {
		for (let seed = 1; seed <= seeds; seed++) await follow(seed);
	});

	describe("on an ordinary day", () => {
		/** Returns a loop that has listed ten objects and watches. */
		async function begun(): Promise<Followed> {
			const followed = new Followed();
			for (let change = 0; change < 40; change++) followed.source.disturb(followed.clock.random);
			await followed.clock.pass(1_000, () => followed.requests("watch") === 1);
			await followed.clock.pass(1_000);
			expect(followed.isRight).to.equal(true);
			return followed;
		}

		it("lists once, and compares every ten minutes or so", async () => {
			await using followed = await begun();
			await followed.clock.pass(3_600_000);
			// A comparison is a list of the state that is kept, and one of the newest state.
			expect(followed.requests("list")).to.be.within(1 + 2 * 5, 1 + 2 * 8);
			expect(followed.requests("watch")).to.be.within(3_600 / 300, 3_600 / 180 + 8);
			expect([followed.loop.isFresh, followed.drift]).to.deep.equal([true, 0]);
		});

		it("goes on from the last bookmark, so that a quiet watch is no reason for a list", async () => {
			await using followed = await begun();
			for (let minute = 0; minute < 6; minute++) {
				followed.source.cluster.touch(100);
				await followed.clock.pass(61_000);
				followed.source.cluster.compact();
				followed.source.cluster.touch();
				followed.source.endWatches();
				await followed.clock.pass(5_000);
			}
			expect(followed.requests("list")).to.equal(1);
		});

		it("lists at once when the server has forgotten its state, in the answer or in an event", async () => {
			await using followed = await begun();
			const error = { kind: "Status", code: 410, reason: "Expired", message: "too old resource version" };
			followed.source.say(`${JSON.stringify({ type: "ERROR", object: error })}\n`);
			await followed.clock.pass(100);
			expect(followed.requests("list")).to.equal(2);
			await followed.clock.pass(70_000);
			followed.source.cluster.touch(5);
			followed.source.cluster.compact();
			followed.source.endWatches();
			await followed.clock.pass(100);
			expect(followed.requests("list")).to.equal(3);
		});

		it("takes an end within an event, a line that is no event and an unknown event as failures", async () => {
			for (const line of [
				'{"type":"MODIFIED","obj',
				"<html>\n",
				'{"type":"NEWS","object":{}}\n',
				'{"type":"ADDED"}\n',
			]) {
				await using followed = await begun();
				const from = followed.clock.monotonic();
				followed.source.say(line);
				followed.source.endWatches();
				await followed.clock.pass(400);
				expect([followed.requests("watch", from), followed.loop.trouble !== undefined], line).to.deep.equal([0, true]);
				await followed.clock.pass(1_000);
				expect([followed.requests("watch", from), followed.loop.trouble], line).to.deep.equal([1, undefined]);
			}
		});

		it("leaves a watch that is silent for 90 s, and lists after three of them", async () => {
			await using followed = await begun();
			followed.source.faults.isSilent = true;
			const from = followed.clock.monotonic();
			await followed.clock.pass(89_000);
			expect([followed.loop.isFresh, followed.requests("watch", from)]).to.deep.equal([true, 0]);
			await followed.clock.pass(2_000);
			expect(followed.requests("watch", from)).to.equal(1);
			await followed.clock.pass(180_000);
			expect([followed.requests("watch", from), followed.requests("list", from)]).to.deep.equal([3, 1]);
		});

		it("is not fresh after 90 s in which nobody was heard, and keeps what it has", async () => {
			await using followed = await begun();
			const { kept } = followed;
			followed.source.faults.isDown = true;
			followed.source.endWatches(new Error("ECONNRESET"));
			await followed.clock.pass(91_000);
			expect([followed.loop.isFresh, followed.kept]).to.deep.equal([false, kept]);
			expect(followed.loop.trouble).to.equal("The cluster's pods cannot be followed: The connection was refused");
			expect(followed.clock.monotonic() - followed.loop.seenByteAt).to.be.at.least(90_000);
		});

		it("is right within 30 s after ten minutes without a server, and has asked it a few dozen times", async () => {
			await using followed = await begun();
			const from = followed.clock.monotonic();
			followed.source.faults.isDown = true;
			followed.source.endWatches(new Error("ECONNRESET"));
			for (let change = 0; change < 20; change++) followed.source.disturb(followed.clock.random);
			await followed.clock.pass(600_000);
			expect(followed.source.requests.filter(({ at }) => at >= from).length).to.be.within(20, 70);
			followed.source.heal();
			await followed.clock.pass(31_000);
			expect(followed.isRight).to.equal(true);
		});

		it("does not ask in a circle where every watch ends at once in order", async () => {
			await using followed = await begun();
			const from = followed.clock.monotonic();
			for (let again = 0; again < 600; again++) {
				followed.source.endWatches();
				await followed.clock.pass(100);
			}
			expect(followed.requests("watch", from)).to.be.at.most(30);
		});

		const error = { kind: "Status", code: 410, reason: "Expired", message: "too old resource version" };
		const malformed = [{}, { metadata: {} }, { metadata: { name: 7, resourceVersion: "9" } }, [], "pod", null];
		for (const [type, objects] of [["ERROR", [error]] as const, ["MODIFIED", malformed] as const])
			it(`does not ask in a circle where every watch is told at once what ends it: ${type}`, async () => {
				await using followed = await begun();
				const from = followed.clock.monotonic();
				for (let again = 0; again < 600; again++) {
					for (const object of objects) followed.source.say(`${JSON.stringify({ type, object })}\n`);
					await followed.clock.pass(100);
				}
				expect(followed.requests("watch", from) + followed.requests("list", from)).to.be.at.most(60);
			});

		it("does not ask a busy server before the time that it says", async () => {
			await using followed = await begun();
			Object.assign(followed.source.faults, { watchStatus: 429, retryAfterMs: 20_000 });
			followed.source.endWatches();
			await followed.clock.pass(1_000, () => followed.loop.trouble !== undefined);
			const from = followed.clock.monotonic() + 1;
			await followed.clock.pass(19_900);
			expect(followed.requests("watch", from)).to.equal(0);
			await followed.clock.pass(200);
			expect(followed.requests("watch", from)).to.equal(1);
		});

		it("says which right is missing", async () => {
			await using followed = await begun();
			followed.source.faults.watchStatus = 403;
			followed.source.endWatches();
			await followed.clock.pass(5_000);
			expect(followed.loop.trouble).to.equal("The platform lacks the right to watch pods: failed");
			followed.source.faults.listStatus = 403;
			await followed.clock.pass(120_000);
			expect(followed.loop.trouble).to.equal("The platform lacks the right to list pods: failed");
			followed.source.heal();
			await followed.clock.pass(31_000);
			expect(followed.loop.trouble).to.equal(undefined);
		});

		it("finds and counts what a watch has not told", async () => {
			await using followed = await begun();
			followed.source.faults.isLossy = true;
			for (let change = 0; change < 10; change++) followed.source.disturb(followed.clock.random);
			// A bookmark says that nothing has happened until now.
			await followed.clock.pass(61_000);
			followed.source.faults.isLossy = false;
			expect(followed.isRight).to.equal(false);
			await followed.clock.pass(720_000, () => followed.isRight);
			expect(followed.isRight).to.equal(true);
			expect(followed.drift).to.be.above(0);
			expect(Object.fromEntries(followed.mirror)).to.deep.equal(followed.source.truth);
		});

		it("takes the state of a store that was restored from a backup, though it is earlier", async () => {
			await using followed = await begun();
			const restore = followed.source.cluster.backup();
			for (let change = 0; change < 20; change++) followed.source.disturb(followed.clock.random);
			await followed.clock.pass(1_000);
			restore();
			followed.source.endWatches(new Error("ECONNRESET"));
			await followed.clock.pass(60_000, () => followed.isRight);
			expect(followed.isRight).to.equal(true);
			expect(Object.fromEntries(followed.mirror)).to.deep.equal(followed.source.truth);
		});

		it("has every object but the one that it does not understand, and says so", async () => {
			await using followed = await begun();
			const { source, clock } = followed;
			const pods = "/api/v1/namespaces/sessions/pods";
			source.cluster.create(pods, { metadata: { name: "odd", labels: { ours: "yes", strange: "" } } });
			source.cluster.create(pods, { metadata: { name: "even", labels: { ours: "yes" } } });
			await clock.pass(1_000);
			const names = Object.keys(followed.kept);
			expect([names.includes("odd"), names.includes("even")]).to.deep.equal([false, true]);
			expect(followed.loop.trouble).to.equal('One of the cluster\'s pods, "odd", is not understood');
		});
	});
});
