import { expect } from "chai";
import { OwnLeases } from "#shared/store/leases/own-leases.ts";

describe("OwnLeases", () => {
	it("gives each lease once at a time, and again when it is released", async () => {
		const leases = new OwnLeases();
		const first = await leases.acquire("work");
		expect(first?.isHeld).to.equal(true);
		expect(await leases.acquire("work")).to.equal(undefined);
		expect((await leases.acquire("other"))?.isHeld).to.equal(true);
		await first?.release();
		expect([first?.isHeld, first?.signal.aborted]).to.deep.equal([false, true]);
		expect((await leases.acquire("work"))?.isHeld).to.equal(true);
		await first?.release();
		expect(await leases.acquire("work"), "a late second release frees nothing").to.equal(undefined);
	});
});
