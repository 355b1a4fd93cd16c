import { expect } from "chai";
import fc from "fast-check";
import {
	type AcknowledgedReports,
	isAcknowledged,
	withAcknowledged,
} from "#services/sessions/record/acknowledged-reports.ts";

describe("acknowledged reports", () => {
	it("are all up to the newest of their launch, and none of another launch", () => {
		const acknowledged = withAcknowledged({}, { launch: 2, n: 3 });
		expect([1, 2, 3, 4].map((n) => isAcknowledged(acknowledged, { launch: 2, n }))).to.deep.equal([
			true,
			true,
			true,
			false,
		]);
		expect(isAcknowledged(acknowledged, { launch: 1, n: 1 })).to.equal(false);
		expect(isAcknowledged(acknowledged, { launch: 3, n: 1 })).to.equal(false);
	});

	it("of the newest fifty launches are remembered, by number and not by text", () => {
		const launches = Array.from({ length: 120 }, (_, index) => index + 1);
		const acknowledged = launches.reduce<AcknowledgedReports>(
			(former, launch) => withAcknowledged(former, { launch, n: 1 }),
			{},
		);
		expect(Object.keys(acknowledged).map(Number)).to.deep.equal(launches.slice(-50));
		expect(withAcknowledged(acknowledged, { launch: 100, n: 9 })[100]).to.equal(9);
	});

	it("are acknowledged as soon as they are added, and stay so while their launch is among the newest", () => {
		const report = fc.record({ launch: fc.integer({ min: 1, max: 40 }), n: fc.integer({ min: 1, max: 100 }) });
		fc.assert(
			fc.property(fc.array(report, { maxLength: 60 }), (reports) => {
				// A report comes after the earlier ones of its launch.
				const inOrder = reports.toSorted((one, other) => one.n - other.n);
				const acknowledged = inOrder.reduce<AcknowledgedReports>(withAcknowledged, {});
				for (const one of inOrder) expect(isAcknowledged(acknowledged, one)).to.equal(true);
			}),
		);
	});
});
