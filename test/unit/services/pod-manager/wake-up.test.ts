import { expect } from "chai";
import { Alarm } from "#services/pod-manager/wake-up.ts";
import { eventually } from "../../../support/eventually.ts";

describe("Alarm", () => {
	it("remembers rings that nobody waited for as one", async () => {
		const alarm = new Alarm();
		alarm.ring();
		alarm.ring();
		await alarm.rung();
		let again = false;
		void alarm.rung().then(() => {
			again = true;
		});
		await new Promise(setImmediate);
		expect(again).to.equal(false);
		alarm.ring();
		await eventually(() => again);
	});

	it("rings at the earliest of the times asked for", async () => {
		const alarm = new Alarm();
		const start = performance.now();
		alarm.ringWithin(60_000);
		alarm.ringWithin(30);
		alarm.ringWithin(20_000);
		let rung = false;
		void alarm.rung().then(() => {
			rung = true;
		});
		await eventually(() => rung);
		expect(performance.now() - start).to.be.at.least(25);
		alarm.silence();
	});
});
