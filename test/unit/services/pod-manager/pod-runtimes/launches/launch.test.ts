import { expect } from "chai";
import fc from "fast-check";
import { randomUUID } from "node:crypto";
import { isSessionId, launchName, parseLaunch } from "#services/pod-manager/pod-runtimes/launches/launch.ts";
import { nameBasedUuid } from "#shared/base/ids/name-based-uuid.ts";
import { timeBasedUuid } from "#shared/base/ids/time-based-uuid.ts";
import { compileSchema } from "#shared/base/schema/validator.ts";
import { sessionWork } from "#shared/contracts/sessions/session-work.ts";

const sessionId = "0b1f7e6a-52a4-4c54-9d8e-6f1f3f5a7c01";

describe("the name of a launch", () => {
	it("is read as it was written", () => {
		expect(parseLaunch(launchName({ sessionId, generation: 12 }))).to.deep.equal({ sessionId, generation: 12 });
	});

	for (const name of [
		".trash",
		`${sessionId}`,
		`${sessionId}-g`,
		`${sessionId}-g1.5`,
		`${sessionId}-g01`,
		`x${sessionId}-g1`,
		`${sessionId}-g1/`,
	]) {
		it(`is not "${name}"`, () => {
			expect(parseLaunch(name)).to.equal(undefined);
		});
	}

	it("accepts only valid session ids (H2)", () => {
		const check = compileSchema(sessionWork.actions.claim_due.params);
		const digit = fc.constantFrom(..."0123456789abcdefF".split(""));
		const text = fc.tuple(
			...[8, 4, 4, 4, 12].map((length) => fc.string({ unit: digit, minLength: length, maxLength: length })),
		);
		fc.assert(
			fc.property(text, (parts) => {
				const ids = [parts.join("-")];
				expect(isSessionId(ids[0] ?? "")).to.equal(check({ limit: 1, ids }).length === 0);
			}),
			{ numRuns: 5_000 },
		);
		expect(isSessionId("ffffffff-ffff-ffff-ffff-ffffffffffff")).to.equal(false);
		for (const id of [randomUUID(), timeBasedUuid(Date.now()), nameBasedUuid("a", "key")])
			expect(isSessionId(id), id).to.equal(true);
	});

	it("never leads to another folder", () => {
		for (const id of ["..", "../..", "", "a/b", sessionId.slice(1)]) {
			expect(() => launchName({ sessionId: id, generation: 1 })).to.throw(RangeError);
		}
	});

	it("equals the text from which it was read", () => {
		const part = fc.constantFrom(sessionId, "-g", "1", "0", "..", "/", "\0", "\n", "-", "G", "9".repeat(9), "１");
		const text = fc.oneof(
			fc.string({ unit: "binary" }),
			fc.array(part, { maxLength: 5 }).map((parts) => parts.join("")),
		);
		fc.assert(
			fc.property(text, (name) => {
				const launch = parseLaunch(name);
				if (launch) expect(launchName(launch)).to.equal(name);
				if (isSessionId(name)) expect(name).to.match(/^[0-9a-f-]{36}$/);
				else expect(() => launchName({ sessionId: name, generation: 1 })).to.throw(RangeError);
			}),
			{ numRuns: 10_000 },
		);
	});
});
