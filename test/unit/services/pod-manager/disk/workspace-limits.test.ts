import { expect } from "chai";
import { WorkspaceLimits, type WorkspaceLimitsDependencies } from "#services/pod-manager/disk/workspace-limits.ts";
import type { MeasuredFiles, MeasureTerms } from "#services/pod-manager/pod-runtime.ts";
import { turnClock } from "#shared/base/clock.ts";
import type { OversizedWorkspace, PartialReason } from "#shared/contracts/workspaces/workspace-work.ts";
import { eventually } from "../../../../support/eventually.ts";
import { memoryPod, MemoryPods } from "../../../../support/pods/memory-pods.ts";

const mb = 1_000_000;
const minute = 60_000;

class SizedPods extends MemoryPods {
	readonly sizes = new Map<string, number>();
	readonly partials = new Map<string, PartialReason>();
	/** Delays measurements of sessions. */
	readonly slow = new Map<string, (terms: MeasureTerms) => Promise<void>>();
	readonly measured: string[] = [];

	override async measureWorkspace(id: string, terms: MeasureTerms): Promise<MeasuredFiles> {
		this.measured.push(id);
		await this.slow.get(id)?.(terms);
		const partial = this.partials.get(id);
		return { bytes: this.sizes.get(id) ?? 0, ...(partial && { partial }) };
	}
}

describe("WorkspaceLimits", () => {
	let pods: SizedPods;
	let stopped: OversizedWorkspace[];
	let said: string[];
	let free: number;
	let looks: number;
	let at: number;
	let turnBack: () => void;
	let limits: WorkspaceLimits | undefined;
	const asked = new Map<string, number>();

	beforeEach(() => {
		pods = new SizedPods();
		for (const id of ["one", "two"]) pods.put(memoryPod(id, 1, "ready"));
		[stopped, said, free, looks, at] = [[], [], 1_000 * mb, 0, 0];
		asked.clear();
		turnBack = turnClock({ now: () => at, monotonic: () => at });
	});
	afterEach(async () => {
		await limits?.stop();
		turnBack();
	});

	function start(given: Partial<WorkspaceLimitsDependencies> = {}): void {
		limits = new WorkspaceLimits({
			runtime: pods,
			usualBytes: 100 * mb,
			free: async () => {
				looks++;
				return free;
			},
			inUse: async (ids) =>
				ids.map((session) => {
					const bytes = asked.get(session);
					return { session, workspace: session, ...(bytes !== undefined && { disk_bytes: bytes }) };
				}),
			stop: async (oversized) => stopped.push(oversized) > 0,
			write: (sentence) => void said.push(sentence),
			lookMs: 5,
			...given,
		});
	}

	/** Resolves when this many looks more have ended. */
	async function looked(count = 3): Promise<void> {
		const until = looks + count;
		await eventually(() => looks >= until);
	}

	async function measuredAgain(): Promise<void> {
		const until = pods.measured.length + 2;
		at += minute;
		await eventually(() => pods.measured.length >= until);
		await looked();
	}

	it("measures each minute, and stops a session above its own limit or the usual one", async () => {
		asked.set("two", 500 * mb);
		start();
		await looked();
		expect(pods.measured, "before a minute is over").to.deep.equal([]);
		await measuredAgain();
		for (const id of ["one", "two"]) pods.sizes.set(id, 101 * mb);
		await measuredAgain();
		expect(stopped).to.deep.equal([{ session: "one", bytes: 101 * mb, limit_bytes: 100 * mb }]);
		expect(said).to.deep.equal(['Session "one" was stopped: its workspace has 101 MB, and may have 100 MB']);
	});

	it("measures at once when much room has gone, and not when little has", async () => {
		start();
		await looked();
		free -= 100 * mb;
		await looked();
		expect(pods.measured).to.deep.equal([]);
		free -= 200 * mb;
		await eventually(() => pods.measured.length === 2);
	});

	it("leaves ten minutes to remove files from a workspace that was too large before, while it hardly grows", async () => {
		pods.pods.clear();
		for (const id of ["one", "two"]) {
			pods.put(memoryPod(id, 2, "ready"));
			pods.sizes.set(id, 200 * mb);
		}
		start();
		await looked();
		await measuredAgain();
		await measuredAgain();
		expect(stopped).to.deep.equal([]);
		pods.sizes.set("one", 210 * mb);
		await measuredAgain();
		expect(stopped.map(({ session }) => session)).to.deep.equal(["one"]);
		at += 10 * minute;
		await eventually(() => stopped.some(({ session }) => session === "two"));
	});

	it("leaves none to a session that has made all of it in its first launch", async () => {
		pods.sizes.set("one", 200 * mb);
		start();
		await looked();
		await measuredAgain();
		expect(stopped.map(({ session }) => session)).to.deep.equal(["one"]);
	});

	it("stops at once a session that has too many files to be measured, and says so (finding 7)", async () => {
		pods.partials.set("one", "entries");
		start();
		await looked();
		await measuredAgain();
		const oversized = { session: "one", bytes: 0, limit_bytes: 100 * mb, partial: "entries" };
		expect(stopped).to.deep.equal([oversized]);
		expect(said).to.deep.equal([
			'Session "one" was stopped: its workspace cannot be measured (entries), and may have 100 MB',
		]);
	});

	it("stops a session whose measurements lack time only at the third one in a row", async () => {
		start();
		await looked();
		const times = ["time", "time", undefined, "time", "time"] as const;
		for (const partial of times) {
			if (partial) pods.partials.set("one", partial);
			else pods.partials.delete("one");
			await measuredAgain();
		}
		// The first one of all is that of the quick lane, and does not count.
		expect(stopped).to.deep.equal([]);
		await measuredAgain();
		expect(stopped.map(({ partial }) => partial)).to.deep.equal(["time"]);
	});

	it("leaves ten minutes to remove files to a session that could not be measured before, while nobody writes fast", async () => {
		pods.pods.clear();
		for (const id of ["one", "two"]) {
			pods.put(memoryPod(id, 2, "ready"));
			pods.partials.set(id, "entries");
		}
		start();
		await looked();
		await measuredAgain();
		pods.partials.delete("one");
		pods.sizes.set("one", 150 * mb);
		await measuredAgain();
		expect(stopped).to.deep.equal([]);
		free -= 300 * mb;
		await eventually(() => stopped.length > 0);
		expect(stopped.map(({ session }) => session)).to.deep.equal(["two"]);
	});

	it("measures the others, and looks at the room, while one session takes long (finding 8)", async () => {
		const asked: (number | undefined)[] = [];
		let isOver = false;
		// A runtime keeps to the time that it is given.
		pods.slow.set("one", async ({ withinMs, signal }) => {
			asked.push(withinMs);
			if (asked.length === 1) pods.partials.set("one", "time");
			else await eventually(() => isOver || signal.aborted, { withinMs: 20_000 });
		});
		start();
		await looked();
		at += minute;
		await eventually(() => pods.measured.length === 2);
		await looked();
		at += minute;
		await eventually(() => asked.length === 2);
		pods.sizes.set("two", 101 * mb);
		free -= 300 * mb;
		await eventually(() => stopped.length === 1);
		expect(stopped.map(({ session }) => session)).to.deep.equal(["two"]);
		expect(asked).to.deep.equal([5_000, 30_000]);
		isOver = true;
	});

	it("measures for a fifth of the time at most, however many sessions there are and however fast they write", async () => {
		turnBack();
		let measuringMs = 0;
		for (let index = 0; index < 50; index++) {
			pods.put(memoryPod(`session ${index}`, 1, "ready"));
			pods.slow.set(`session ${index}`, async () => {
				const began = performance.now();
				await new Promise((resolve) => setTimeout(resolve, 10));
				measuringMs += performance.now() - began;
			});
		}
		const began = performance.now();
		start({ free: async () => (free -= 300 * mb) });
		await eventually(() => pods.measured.length >= 60, { withinMs: 30_000 });
		expect(measuringMs / (performance.now() - began)).to.be.below(0.3);
	});

	it("goes on with the others when one cannot be measured now, and says so", async () => {
		pods.slow.set("one", () => Promise.reject(new Error("The engine does not answer")));
		start();
		await looked();
		pods.sizes.set("two", 101 * mb);
		await measuredAgain();
		expect(stopped.map(({ session }) => session)).to.deep.equal(["two"]);
		expect(said[0]).to.equal('Cannot measure the workspace of session "one": The engine does not answer');
	});

	it("measures no session without a limit", async () => {
		asked.set("two", 500 * mb);
		start({ usualBytes: undefined });
		await looked();
		at += minute;
		await eventually(() => pods.measured.length === 1);
		expect(pods.measured).to.deep.equal(["two"]);
	});

	it("goes on when the sessions service does not answer", async () => {
		let failures = 0;
		start({
			inUse: async () => {
				failures++;
				throw new Error("It does not answer");
			},
		});
		at += minute;
		await eventually(() => failures >= 2);
		expect(said).to.deep.equal(["Cannot measure the workspaces: It does not answer"]);
	});
});
