import { expect } from "chai";
import type { Caller } from "#shared/bus/service.ts";
import type { PrincipalKind } from "#shared/bus/principal.ts";
import { turnClock } from "#shared/clock.ts";
import { RefusalNotes } from "#services/gateway/callers/refusal-notes.ts";

describe("RefusalNotes", () => {
	let time = 1_000;
	let entered: unknown[] = [];
	let turnBack: () => void;
	// oxlint-disable-next-line typescript/require-await
	const bus = { call: async (_action: string, params: unknown) => entered.push(params) } as unknown as Caller;
	const notes = () => new RefusalNotes(() => bus);
	const refusal = (id: string, kind: PrincipalKind = "user") => ({
		principal: { kind, id, tenant: "t", roles: [] },
		action: "audit.list",
		reason: "Administrator role required",
		address: "10.0.0.1",
	});

	beforeEach(() => {
		entered = [];
		turnBack = turnClock({ now: () => time, monotonic: () => time });
	});
	afterEach(() => turnBack());

	it("enters one refusal a second for each person, behind one address too, and says how many it left out", () => {
		const one = notes();
		for (let n = 0; n < 100; n++) one.note(refusal("ada"));
		one.note(refusal("vic"));
		expect(entered).to.have.length(2);
		time += 1_000;
		one.note(refusal("ada"));
		one.note(refusal("vic"));
		time += 1_000;
		one.note(refusal("ada"));
		expect(entered.map((entry) => (entry as { reason: string }).reason)).to.deep.equal([
			"Administrator role required",
			"Administrator role required",
			"Administrator role required (99 refusals before are not entered)",
			"Administrator role required",
			"Administrator role required",
		]);
		expect(entered[0]).to.deep.include({ outcome: "refused", action: "audit.list", address: "10.0.0.1" });
	});

	it("enters nothing of pods, and nothing before there is a bus", () => {
		notes().note(refusal("ada", "pod"));
		new RefusalNotes(() => undefined).note(refusal("ada"));
		expect(entered).to.deep.equal([]);
	});
});
