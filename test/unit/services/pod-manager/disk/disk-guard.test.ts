import { expect } from "chai";
import { DiskGuard, type DiskGuardDependencies } from "#services/pod-manager/disk/disk-guard.ts";
import type { MeasuredFiles, MeasureTerms } from "#services/pod-manager/pod-runtime.ts";
import type { MeasuredSession, PartialReason } from "#shared/contracts/workspaces/workspace-work.ts";
import { eventually } from "../../../../support/eventually.ts";
import { memoryPod, MemoryPods } from "../../../../support/pods/memory-pods.ts";

const mb = 1_000_000;

class SizedPods extends MemoryPods {
	readonly sizes = new Map<string, number>();
	readonly partials = new Map<string, PartialReason>();
	readonly times: (number | undefined)[] = [];
	measurements = 0;

	override async measureWorkspace(id: string, { session = "", withinMs }: MeasureTerms): Promise<MeasuredFiles> {
		this.measurements++;
		this.times.push(withinMs);
		const partial = this.partials.get(session);
		return {
			bytes: id === `workspace of ${session}` ? (this.sizes.get(session) ?? 0) : 0,
			...(partial && { partial }),
		};
	}
}

describe("DiskGuard", function () {
	this.timeout(30_000);
	let pods: SizedPods;
	let asked: { measured: MeasuredSession[]; leastBytes: number }[];
	let said: string[];
	let free: number;
	let looks: number;
	let guard: DiskGuard | undefined;

	beforeEach(() => {
		pods = new SizedPods();
		for (const id of ["one", "two"]) pods.put(memoryPod(id, 1, "ready"));
		asked = [];
		said = [];
		looks = 0;
	});
	afterEach(() => guard?.stop());

	function start(given: Partial<DiskGuardDependencies> = {}): void {
		guard = new DiskGuard({
			runtime: pods,
			lowMb: 64,
			free: async () => {
				looks++;
				return free;
			},
			inUse: async (ids) => ids.map((session) => ({ session, workspace: `workspace of ${session}` })),
			stopLargest: async (measured, leastBytes) => {
				asked.push({ measured, leastBytes });
				return [{ session: "two", grown_bytes: 30 * mb }];
			},
			write: (sentence) => void said.push(sentence),
			...given,
		});
	}

	it("measures nothing while there is room", async () => {
		free = 65 * mb;
		start();
		await eventually(() => looks === 2, { withinMs: 20_000 });
		expect([pods.measurements, asked]).to.deep.equal([0, []]);
	});

	it("asks for a stop with two measurements of each workspace, and says which session was stopped", async () => {
		free = 63 * mb;
		pods.sizes.set("two", 10 * mb);
		start();
		await eventually(() => pods.measurements === 2);
		pods.sizes.set("two", 40 * mb);
		await eventually(() => said.length === 1, { withinMs: 20_000 });
		const [{ measured, leastBytes } = expect.fail("nobody asked")] = asked;
		expect(measured).to.have.deep.members([
			{ session: "one", bytes: 0, before: 0 },
			{ session: "two", bytes: 40 * mb, before: 10 * mb },
		]);
		expect(leastBytes).to.equal(8 * mb);
		expect(said[0]).to.equal('The disk is nearly full: session "two" was stopped, because its workspace grew by 30 MB');
	});

	it("names a session that has too many files to be measured, and one that lacked time from the third round on", async () => {
		free = 63 * mb;
		pods.partials.set("one", "time");
		pods.partials.set("two", "entries");
		start({
			stopLargest: async (measured, leastBytes) => {
				asked.push({ measured, leastBytes });
				return asked.length === 2 ? [{ session: "one", grown_bytes: 0 }] : [];
			},
		});
		await eventually(() => said.length === 1, { withinMs: 30_000 });
		expect(asked.map(({ measured }) => measured)).to.deep.equal([
			[{ session: "two", bytes: 0, partial: "entries" }],
			[
				{ session: "one", bytes: 0, partial: "time" },
				{ session: "two", bytes: 0, partial: "entries" },
			],
		]);
		expect(said[0]).to.equal(
			'The disk is nearly full: session "one" was stopped, because its workspace cannot be measured (time)',
		);
	});

	it("measures each workspace for a limited time", async () => {
		free = 63 * mb;
		start();
		await eventually(() => pods.measurements === 4, { withinMs: 20_000 });
		expect(new Set(pods.times)).to.deep.equal(new Set([4_000]));
	});

	it("goes on when the sessions service does not answer, and does nothing when nothing is short", async () => {
		free = 0;
		let failures = 0;
		start({
			inUse: async () => {
				failures++;
				throw new Error("Nobody there");
			},
		});
		await eventually(() => failures === 2, { withinMs: 30_000 });
		expect(said).to.deep.equal(["Cannot guard the disk: Nobody there"]);
		await guard?.stop();
		looks = 0;
		start({ lowMb: 0 });
		await guard?.stop();
		expect(looks).to.equal(0);
	});
});
