import { expect } from "chai";
import { Leadership } from "#shared/store/leases/leadership.ts";
import type { Lease, Leases } from "#shared/store/leases/leases.ts";
import { OwnLeases } from "#shared/store/leases/own-leases.ts";
import { eventually } from "../../../../support/eventually.ts";

function wish(leases: Leases, onLead = () => {}, onError: (error: unknown) => void = () => {}): Leadership {
	return new Leadership({ leases, name: "work", onLead, onError });
}

describe("Leadership", () => {
	it("leads alone, and the next one leads when it stops", async () => {
		const leases = new OwnLeases();
		const first = wish(leases);
		const second = wish(leases);
		first.start();
		await eventually(() => first.isLeading);
		second.start();
		await first.stop();
		expect(first.isLeading).to.equal(false);
		await eventually(() => second.isLeading);
		await second.stop();
		expect((await leases.acquire("work"))?.isHeld).to.equal(true);
	});

	it("leads again after it has lost the lease, and tells each time", async () => {
		const own = new OwnLeases();
		const taken: Lease[] = [];
		const leases: Leases = {
			async acquire(name) {
				const lease = await own.acquire(name);
				if (lease) taken.push(lease);
				return lease;
			},
		};
		let led = 0;
		const leadership = wish(leases, () => led++);
		leadership.start();
		await eventually(() => leadership.isLeading);
		await taken[0]?.release();
		await eventually(() => led === 2 && leadership.isLeading);
		await leadership.stop();
	});

	it("reports once that it cannot ask, and goes on asking", async () => {
		const own = new OwnLeases();
		let isDown = true;
		const leases: Leases = {
			async acquire(name) {
				if (isDown) throw new Error("down");
				return own.acquire(name);
			},
		};
		const errors: unknown[] = [];
		const leadership = wish(leases, undefined, (error) => errors.push(error));
		leadership.start();
		await eventually(() => errors.length === 1);
		isDown = false;
		await eventually(() => leadership.isLeading);
		expect(errors).to.have.length(1);
		await leadership.stop();
	});

	it("stops while it stands by", async () => {
		const leases = new OwnLeases();
		await leases.acquire("work");
		const leadership = wish(leases);
		leadership.start();
		await leadership.stop();
		expect(leadership.isLeading).to.equal(false);
	});
});
