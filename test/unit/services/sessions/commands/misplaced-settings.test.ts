import { expect } from "chai";
import { refuseMisplaced } from "#services/sessions/commands/misplaced-settings.ts";
import { UnprocessableError } from "#shared/base/errors.ts";

describe("refuseMisplaced()", () => {
	it("refuses settings that would bound the session, and says where they belong", () => {
		expect(() => refuseMisplaced({ workload_config: { egress: "none" } }))
			.to.throw(UnprocessableError)
			.with.property("message")
			.that.includes('"workload_config" (egress)')
			.and.includes("profile_name");
	});

	it("takes a request without them", () => {
		for (const workload_config of [undefined, null, {}])
			expect(() => refuseMisplaced(workload_config === undefined ? {} : { workload_config })).to.not.throw();
	});
});
