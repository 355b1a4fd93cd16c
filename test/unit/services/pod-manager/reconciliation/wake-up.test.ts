import { expect } from "chai";
import { WakeUp } from "#services/pod-manager/reconciliation/wake-up.ts";
import { eventually } from "../../../../support/eventually.ts";

describe("WakeUp", () => {
	it("combines signals without a waiter into one", async () => {
		const wakeUp = new WakeUp();
		wakeUp.signal();
		wakeUp.signal();
		await wakeUp.signalled();
		let again = false;
		void wakeUp.signalled().then(() => {
			again = true;
		});
		await new Promise(setImmediate);
		expect(again).to.equal(false);
		wakeUp.signal();
		await eventually(() => again);
	});

	it("signals at the earliest of the requested times", async () => {
		const wakeUp = new WakeUp();
		const start = performance.now();
		wakeUp.signalWithin(60_000);
		wakeUp.signalWithin(30);
		wakeUp.signalWithin(20_000);
		let signalled = false;
		void wakeUp.signalled().then(() => {
			signalled = true;
		});
		await eventually(() => signalled);
		expect(performance.now() - start).to.be.at.least(25);
		wakeUp.cancel();
	});
});
