import { expect } from "chai";
import { DeduplicatingLog } from "#services/pod-manager/deduplicating-log.ts";

describe("DeduplicatingLog", () => {
	it("logs a sentence once, with any session in it", () => {
		const told: string[] = [];
		const log = new DeduplicatingLog((sentence) => told.push(sentence));
		log.write('Cannot start "session-0b1f7e6a-52a4-4c54-9d8e-6f1f3f5a7c01-g1"');
		log.write('Cannot start "session-3f6c2f0e-97f4-4d0e-8a53-0c1de44b6a02-g1"');
		log.write("Something else");
		log.write("Something else");
		log.write("Cannot remove 1 folder, 0badcafe among them");
		log.write("Cannot remove 1 folder, 1badcafe among them");
		expect(told.pop()).to.equal("Cannot remove 1 folder, 0badcafe among them");
		expect(told).to.deep.equal(['Cannot start "session-0b1f7e6a-52a4-4c54-9d8e-6f1f3f5a7c01-g1"', "Something else"]);
	});
});
