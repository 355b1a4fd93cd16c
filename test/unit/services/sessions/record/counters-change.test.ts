import { expect } from "chai";
import { countersChange } from "#services/sessions/record/counters-change.ts";
import type { StoredStatus } from "#services/sessions/record/session-lifecycle.ts";
import { sessionStatuses } from "#shared/contracts/sessions/session-resource.ts";

type Status = StoredStatus | undefined;

const statuses: readonly Status[] = [undefined, ...sessionStatuses, "deleted"];

describe("countersChange()", () => {
	const table: [before: Status, after: Status, sessions: number, running: number][] = [
		[undefined, "starting", 1, 0],
		[undefined, "running", 1, 1],
		["provisioning", "running", 0, 1],
		["running", "stopping", 0, -1],
		["running", "deleted", -1, -1],
		["archived", "deleted", -1, 0],
	];
	for (const [before, after, sessions, running_sessions] of table) {
		it(`counts ${before ?? "none"} → ${after}`, () => {
			expect(countersChange(before, after)).to.deep.equal({ sessions, running_sessions });
		});
	}

	it("counts nothing without a change", () => {
		for (const status of statuses) expect(countersChange(status, status), status).to.equal(undefined);
		expect(countersChange("starting", "provisioning")).to.equal(undefined);
		expect(countersChange("deleted", undefined)).to.equal(undefined);
	});

	it("has the same sum over any path between two statuses", () => {
		const change = (before: Status, after: Status) =>
			countersChange(before, after) ?? { sessions: 0, running_sessions: 0 };
		for (const first of statuses)
			for (const second of statuses)
				for (const third of statuses) {
					const [one, other, whole] = [change(first, second), change(second, third), change(first, third)];
					expect(one.sessions + other.sessions).to.equal(whole.sessions);
					expect(one.running_sessions + other.running_sessions).to.equal(whole.running_sessions);
				}
	});
});
