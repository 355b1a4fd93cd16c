import { expect } from "chai";
import { launchName, parseLaunch } from "#services/pod-manager/pod-runtimes/local-process/launch.ts";

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
		`x${sessionId}-g1`,
		`${sessionId}-g1/`,
	]) {
		it(`is not "${name}"`, () => {
			expect(parseLaunch(name)).to.equal(undefined);
		});
	}

	it("never leads to another folder", () => {
		for (const id of ["..", "../..", "", "a/b", sessionId.slice(1)]) {
			expect(() => launchName({ sessionId: id, generation: 1 })).to.throw(RangeError);
		}
	});
});
