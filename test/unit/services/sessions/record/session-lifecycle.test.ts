import { expect } from "chai";
import {
	type Command,
	commands,
	desiredOf,
	next,
	type StoredStatus,
} from "#services/sessions/record/session-lifecycle.ts";
import { type SessionStatus, sessionStatuses } from "#shared/contracts/sessions/session-resource.ts";
import { ConflictError } from "#shared/base/errors.ts";

/** The table of docs/session-life.md, row by row; 409 means that the command is refused. */
const table: Record<SessionStatus, Record<Command, StoredStatus | 409>> = {
	created: { start: "starting", stop: 409, archive: "archived", restore: 409, delete: "deleted" },
	starting: { start: 409, stop: "stopping", archive: "archived", restore: 409, delete: "deleted" },
	provisioning: { start: 409, stop: "stopping", archive: "archived", restore: 409, delete: "deleted" },
	running: { start: 409, stop: "stopping", archive: "archived", restore: 409, delete: "deleted" },
	stopping: { start: 409, stop: 409, archive: "archived", restore: 409, delete: "deleted" },
	stopped: { start: "starting", stop: 409, archive: "archived", restore: 409, delete: "deleted" },
	failed: { start: "starting", stop: 409, archive: "archived", restore: 409, delete: "deleted" },
	archived: { start: 409, stop: 409, archive: 409, restore: "stopped", delete: "deleted" },
};

describe("next()", () => {
	it("covers 8 statuses and 5 commands", () => {
		expect(sessionStatuses).to.have.length(8);
		expect(commands).to.have.length(5);
	});

	for (const status of sessionStatuses) {
		for (const command of commands) {
			const expected = table[status][command];
			it(`answers ${expected} to ${command} of a session that is ${status}`, () => {
				if (expected !== 409) return expect(next(status, command)).to.equal(expected);
				return expect(() => next(status, command)).to.throw(
					ConflictError,
					`Cannot ${command} a session that is ${status}`,
				);
			});
		}
	}
});

describe("desiredOf()", () => {
	it("needs a pod exactly from starting to running", () => {
		const wanting = sessionStatuses.filter((status) => desiredOf(status) === "run");
		expect(wanting).to.deep.equal(["starting", "provisioning", "running"]);
	});
});
