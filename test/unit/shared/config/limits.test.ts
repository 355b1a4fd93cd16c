import { expect } from "chai";
import { loadConfig } from "#shared/config/config.ts";
import { limitsOf } from "#shared/config/limits.ts";

describe("limitsOf()", () => {
	it("limits strangers, and nobody who shares the machine", () => {
		const config = loadConfig({});
		expect(limitsOf(config, false)).to.deep.equal({
			requestsPerSecond: 50,
			burst: 100,
			inFlightPerUser: 64,
			inFlightPerTenant: 128,
			runningPerUser: 20,
			runningPerTenant: 200,
		});
		const { burst: _burst, ...trusted } = limitsOf(config, true);
		expect(new Set(Object.values(trusted))).to.deep.equal(new Set([Infinity]));
	});

	it("takes what the configuration says, for every identity; 0 is no limit", () => {
		const config = loadConfig({ LIMITS__REQUESTS_PER_SECOND: "7", LIMITS__IN_FLIGHT_PER_USER: "0" });
		for (const trusts of [true, false])
			expect(limitsOf(config, trusts)).to.include({ requestsPerSecond: 7, inFlightPerUser: Infinity });
	});
});
