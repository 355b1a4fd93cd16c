import { expect } from "chai";
import { looseLimits } from "#agent/coding-agents/loose-limits.ts";

describe("looseLimits()", () => {
	const asked = { cpu: "1", memory: "1Gi", disk: "1Gi" };

	it("names the limits that do not hold for a session of processes as a whole", () => {
		expect(looseLimits({ resource_config: asked })).to.match(/^resource_config: memory .*, and cpu .*nothing limits/);
		expect(looseLimits({ resource_config: { cpu: "1" } })).to.not.include("memory");
	});

	it("is nothing in a container, and where only the disk or nothing is limited", () => {
		expect(looseLimits({ resource_config: asked, door: "/run/atelier/in/api.sock" })).to.equal(undefined);
		expect(looseLimits({ resource_config: { disk: "1Gi" } })).to.equal(undefined);
		expect(looseLimits({})).to.equal(undefined);
	});
});
