import { expect } from "chai";
import type { Pod } from "#services/pod-manager/pod-runtime.ts";
import { DepartedPods } from "#services/pod-manager/running-pods/departed-pods.ts";
import type { Claim } from "#shared/contracts/sessions/session-work.ts";
import { eventually } from "../../../../support/eventually.ts";

const claim: Claim = {
	id: "first",
	tenant: "acme",
	owner: "ada",
	generation: 1,
	desired: "run",
	fence: 1,
	launch: {},
	attempts: 1,
	workspace: "first",
};
const ready: Pod = { name: "p", sessionId: "first", generation: 1, state: "ready", timings: {} };

describe("DepartedPods", () => {
	let looks: string[];
	let rounds: number;
	let gone: readonly string[];
	let departed: DepartedPods;

	beforeEach(() => {
		[looks, rounds, gone] = [[], 0, []];
		const among = async () => {
			rounds++;
			return ({ owner = "" }: { readonly owner?: string | undefined }) => gone.includes(owner);
		};
		departed = new DepartedPods({ departed: { among }, look: (id) => void looks.push(id) }, 10);
	});
	afterEach(() => departed.stop());

	async function severalRounds(): Promise<void> {
		const before = rounds;
		await eventually(() => rounds > before + 2);
	}

	it("asks for a pass over the sessions of people who have left, as long as they have pods", async () => {
		departed.passed(claim, ready);
		departed.passed({ ...claim, id: "second", owner: "bob" }, { ...ready, sessionId: "second" });
		await severalRounds();
		expect(looks).to.deep.equal([]);
		gone = ["ada"];
		await eventually(() => looks.length > 0);
		expect(new Set(looks)).to.deep.equal(new Set(["first"]));
	});

	it("forgets sessions that have no pod any more, whoever has seen the end", async () => {
		gone = ["ada"];
		departed.passed(claim, ready);
		departed.passed({ ...claim, id: "second" }, { ...ready, sessionId: "second" });
		await eventually(() => looks.includes("first") && looks.includes("second"));
		departed.keepOnly(new Set(["second"]));
		looks.length = 0;
		await eventually(() => looks.length > 3);
		expect(new Set(looks)).to.deep.equal(new Set(["second"]));
	});
});
