import { expect } from "chai";
import { MeasuredLeases } from "#shared/store/leases/measured-leases.ts";
import { OwnLeases } from "#shared/store/leases/own-leases.ts";
import { exposition } from "#shared/telemetry/metrics/exposition.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";

describe("MeasuredLeases", () => {
	it("show which leases this process has, and that it has given one back", async () => {
		const metrics = new Metrics();
		const leases = new MeasuredLeases(new OwnLeases(), metrics);
		const lease = await leases.acquire("relay");
		await leases.acquire("sweep");
		expect(await leases.acquire("relay"), "it is taken").to.equal(undefined);
		expect(await exposition(metrics)).to.include('atelier_leases_held{name="relay"} 1\n');
		await lease?.release();
		const text = await exposition(metrics);
		expect(text).to.include('atelier_leases_held{name="relay"} 0\n');
		expect(text).to.include('atelier_leases_held{name="sweep"} 1\n');
	});
});
