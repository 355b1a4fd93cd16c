import { expect } from "chai";
import { deadlinesMs, type StoredStatus } from "#services/sessions/record/session-lifecycle.ts";
import { reasonFor, timeoutFailure } from "#services/sessions/record/status-reason.ts";
import { sessionStatuses } from "#shared/contracts/sessions/session-resource.ts";
import { createdAt as at } from "../../../../support/platform/session-record.ts";

const statuses: readonly StoredStatus[] = [...sessionStatuses, "deleted"];

describe("reasonFor()", () => {
	it("has a code of its own for every status, and a sentence", () => {
		const reasons = statuses.map((status) => reasonFor(status, at));
		expect(new Set(reasons.map(({ code }) => code)).size).to.equal(statuses.length);
		for (const { message, since } of reasons) {
			expect(message).to.match(/^The .*[^.]$/);
			expect(since).to.equal("2026-01-01T00:00:00.000Z");
		}
	});

	it("has the time limit, except before the first claim and without one", () => {
		expect(reasonFor("provisioning", at).deadline).to.equal("2026-01-01T00:05:00.000Z");
		expect(reasonFor("stopping", at).deadline).to.equal("2026-01-01T00:02:00.000Z");
		for (const status of ["starting", "running", "stopped", "failed"] as const)
			expect(reasonFor(status, at).deadline, status).to.equal(null);
	});

	it("says a failure in its own words", () => {
		const failure = { code: "CLONE_FAILED", message: "Repository not found" };
		expect(reasonFor("failed", at, failure)).to.deep.include(failure);
	});
});

describe("timeoutFailure()", () => {
	it("names the status and its deadline, by a code of its own for every status that has one", () => {
		const late = statuses.filter((status) => deadlinesMs[status] !== undefined);
		const failures = late.map((status) => timeoutFailure(status));
		expect(failures.map(({ code }) => code)).to.deep.equal(["START_TIMEOUT", "PROVISION_TIMEOUT", "STOP_TIMEOUT"]);
		expect(failures[1]?.message).to.equal(
			"The session was provisioning for more than 300 s; the operator can raise this limit with pods.setup_minutes",
		);
	});
});
