import { expect } from "chai";
import type { Caller } from "#shared/bus/service.ts";
import type { PrincipalKind } from "#shared/base/principal.ts";
import { RefusalNotes } from "#services/gateway/callers/refusal-notes.ts";
import { eventually } from "../../../../support/eventually.ts";

const everyMs = 100;

describe("RefusalNotes", () => {
	let entered: { actor: { id: string; tenant: string }; action: string; reason: string }[] = [];
	// oxlint-disable-next-line typescript/require-await
	const bus = { call: async (_action: string, params: never) => entered.push(params) } as unknown as Caller;
	const notes = () => new RefusalNotes(() => bus, "default", everyMs);
	const refusal = (id: string, action = "audit.list", kind: PrincipalKind = "user", tenant = "t") => ({
		principal: { kind, id, tenant, roles: [] },
		action,
		reason: "Administrator role required",
		address: "10.0.0.1",
	});
	const told = () => entered.map(({ actor, action, reason }) => `${actor.id} ${action}: ${reason}`);

	beforeEach(() => void (entered = []));

	it("enters the first refusal of each person and action at once, and the rest at the end of the second (Q13)", async () => {
		const one = notes();
		for (let n = 0; n < 100; n++) one.note(refusal("ada"));
		one.note(refusal("ada", "credentials.store"));
		one.note(refusal("vic"));
		const first = [
			"ada audit.list: Administrator role required",
			"ada credentials.store: Administrator role required",
			"vic audit.list: Administrator role required",
		];
		expect(told()).to.deep.equal(first);
		const rest = "ada audit.list: Administrator role required (99 refusals of this action within a second)";
		await eventually(() => entered.length > 3);
		expect(told()).to.deep.equal([...first, rest]);
		expect(entered[0]).to.deep.include({ outcome: "refused", action: "audit.list", address: "10.0.0.1" });
	});

	it("enters at most one more in each further second", async () => {
		const one = notes();
		for (let n = 0; n < 3; n++) one.note(refusal("ada"));
		await eventually(() => entered.length === 2);
		one.note(refusal("ada"));
		expect(entered, "gathered").to.have.length(2);
		await eventually(() => entered.length === 3);
	});

	it("enters those of people without a tenant with the operators", () => {
		notes().note(refusal("nemo", "audit.list", "user", ""));
		expect(entered[0]?.actor).to.include({ id: "nemo", tenant: "default" });
	});

	it("enters nothing of pods, and nothing before there is a bus", () => {
		notes().note(refusal("ada", "audit.list", "pod"));
		new RefusalNotes(() => undefined, "default").note(refusal("ada"));
		expect(entered).to.deep.equal([]);
	});
});
