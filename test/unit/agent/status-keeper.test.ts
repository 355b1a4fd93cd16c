import { expect } from "chai";
import type { LaunchFailure } from "#agent/io/launch-failure.ts";
import { StatusKeeper } from "#agent/status-keeper.ts";
import { podWarnings } from "#shared/contracts/sessions/session-work.ts";
import type { PodStatus } from "#shared/wire/pod/status.ts";

describe("StatusKeeper", () => {
	it("numbers its statuses, so that one that arrives late is known as such", () => {
		const written: (number | undefined)[] = [];
		const status = new StatusKeeper((content) => written.push((JSON.parse(content) as PodStatus).number));
		status.enter("starting");
		status.enter("cloning");
		status.tell("half of it");
		status.fail({ code: "CLONE_FAILED", message: "gone" } as LaunchFailure);
		expect(written).to.deep.equal([1, 2, 3, 4]);
	});

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
