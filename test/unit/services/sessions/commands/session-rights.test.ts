import { expect } from "chai";
import { commands } from "#services/sessions/record/session-lifecycle.ts";
import {
	commandRights,
	memberRights,
	refuseForeignCommand,
	refuseForeignUpdate,
} from "#services/sessions/commands/session-rights.ts";
import { sessions } from "#shared/contracts/sessions/sessions.ts";
import { ForbiddenError } from "#shared/base/errors.ts";
import { alice, root } from "../../../../support/bus/test-brokers.ts";
import { sessionRecord } from "../../../../support/platform/session-record.ts";

const { session } = sessionRecord();

describe("memberRights", () => {
	it("has a row for every member of an update", () => {
		const { session_id: _id, ...members } = sessions.actions.update.params ?? {};
		expect(Object.keys(memberRights)).to.have.members(Object.keys(members));
	});
});

describe("refuseForeignUpdate()", () => {
	const values = { name: "b", budget: { limit: 1 }, branch: "mallory", model: "m", tracker_issue_id: "X-1" };
	for (const [member, value] of Object.entries(values)) {
		const isOwners = member !== "budget";
		it(`${isOwners ? "refuses an administrator" : "lets an administrator change"} the ${member}`, () => {
			const update = () => refuseForeignUpdate(root, session, { [member]: value });
			if (isOwners) expect(update).to.throw(ForbiddenError, `Only the owner of a session may change "${member}"`);
			else update();
			refuseForeignUpdate(alice, session, { [member]: value });
		});
	}

	it("refuses an administrator a member that has no row, and takes null for no change", () => {
		const later = { name: null, later: 1 };
		expect(() => refuseForeignUpdate(root, session, later)).to.throw(ForbiddenError, '"later"');
		refuseForeignUpdate(root, session, { budget: { limit: 1 }, branch: null, model: undefined });
		expect(() => refuseForeignUpdate(root, session, { budget: { limit: 1 }, branch: "c" })).to.throw(
			ForbiddenError,
			'"branch"',
		);
	});
});

describe("refuseForeignCommand()", () => {
	it("leaves the start to the owner, and every other command to administrators too", () => {
		expect(Object.keys(commandRights)).to.have.members([...commands]);
		for (const command of commands) {
			refuseForeignCommand(alice, session, command);
			const asked = () => refuseForeignCommand(root, session, command);
			if (command === "start") expect(asked).to.throw(ForbiddenError, "Only the owner of a session may start it");
			else asked();
		}
	});
});
