import { expect } from "chai";
import { isTold, statusOf, toldStatus } from "#services/blueprints/template-sources/kubernetes/told-status.ts";

const acceptance = { generation: 2, isAccepted: false, reason: "UnknownModel", message: "There\nis none" };
const at = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

describe("statusOf()", () => {
	it("says it of the generation, and leaves the conditions of others", () => {
		const others = { type: "Reviewed", status: "True" };
		const status = statusOf(toldStatus({ conditions: [others] }), acceptance, at);
		expect(status).to.deep.equal({
			observedGeneration: 2,
			conditions: [
				others,
				{
					type: "Accepted",
					status: "False",
					observedGeneration: 2,
					lastTransitionTime: "2026-01-02T03:04:05Z",
					reason: "UnknownModel",
					message: "There is none",
				},
			],
		});
		expect(isTold(toldStatus(status), acceptance)).to.equal(true);
	});

	it("has a new time only when the status has changed", () => {
		const first = toldStatus(statusOf(toldStatus(undefined), acceptance, at));
		const timeOf = (isAccepted: boolean) =>
			statusOf(first, { ...acceptance, isAccepted, message: "other" }, at + 60_000).conditions[0]?.[
				"lastTransitionTime"
			];
		expect([timeOf(false), timeOf(true)]).to.deep.equal(["2026-01-02T03:04:05Z", "2026-01-02T03:05:05Z"]);
	});
});

describe("isTold()", () => {
	const told = toldStatus(statusOf(toldStatus({}), acceptance, at));
	const changes = [{ generation: 3 }, { isAccepted: true }, { reason: "TooLarge" }, { message: "other" }];
	for (const change of changes)
		it(`is false after a change of ${Object.keys(change).join()}`, () => {
			expect(isTold(told, { ...acceptance, ...change })).to.equal(false);
		});

	it("is false for a status that is none", () => {
		for (const status of [undefined, null, "text", { conditions: "none" }, { conditions: [null, { type: 1 }] }])
			expect(isTold(toldStatus(status), acceptance)).to.equal(false);
	});
});
