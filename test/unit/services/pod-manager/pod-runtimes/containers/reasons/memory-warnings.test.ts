import { expect } from "chai";
import { randomUUID } from "node:crypto";
import { MemoryWarnings } from "#services/pod-manager/pod-runtimes/containers/reasons/memory-warnings.ts";
import { eventually } from "../../../../../../support/eventually.ts";

describe("MemoryWarnings", () => {
	const launch = { sessionId: randomUUID(), generation: 1 };
	const other = { sessionId: randomUUID(), generation: 1 };
	let warned: string[];
	let asked: number;
	let isLiving: boolean;
	let warnings: MemoryWarnings;

	beforeEach(() => {
		[warned, asked, isLiving] = [[], 0, true];
		const dependencies = {
			isLiving: async () => {
				asked += 1;
				return isLiving;
			},
			warn: async ({ sessionId }: { sessionId: string }): Promise<void> => void warned.push(sessionId),
		};
		warnings = new MemoryWarnings(dependencies, 1);
	});
	afterEach(() => warnings.close());

	/** Resolves when an event of the launch was looked at. */
	async function looked(): Promise<void> {
		const before = asked;
		warnings.noticed(launch);
		await eventually(() => asked > before);
	}

	it("takes events of one moment for one", async () => {
		for (let count = 0; count < 1_000; count += 1) warnings.noticed(launch);
		await eventually(() => warned.length > 0);
		expect([asked, warned.length]).to.deep.equal([1, 1]);
	});

	it("warns a launch at most ten times, and the others all the same", async () => {
		for (let count = 0; count < 10; count += 1) await looked();
		warnings.noticed(launch);
		warnings.noticed(other);
		await eventually(() => warned.includes(other.sessionId));
		expect([asked, warned.length]).to.deep.equal([11, 11]);
	});

	it("says nothing of a container that has ended", async () => {
		isLiving = false;
		await looked();
		expect(warned).to.deep.equal([]);
	});
});
