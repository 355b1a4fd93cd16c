import { expect } from "chai";
import { StatusKeeper } from "#agent/status-keeper.ts";
import { podWarnings } from "#shared/contracts/sessions/session-work.ts";
import type { PodStatus } from "#shared/wire/pod/status.ts";

describe("StatusKeeper", () => {
	it("keeps the warnings of a launch through its phases, each one once and within bounds", () => {
		let last = "";
		const status = new StatusKeeper((content) => (last = content));
		status.warn("first");
		status.enter("ready");
		status.warn("first");
		for (let more = 0; more < 20; more++) status.warn(`${more}`.padEnd(1_000, "x"));
		const { phase, warnings = [] } = JSON.parse(last) as PodStatus;
		expect(phase).to.equal("ready");
		expect(warnings).to.have.length(podWarnings.ofAgent);
		expect(warnings.slice(0, 2)).to.deep.equal(["first", "0".padEnd(podWarnings.length, "x")]);
	});
});
