import { expect } from "chai";
import { didYouMean, nearestName } from "#shared/base/nearest-name.ts";

describe("nearestName()", () => {
	const known = ["model", "name", "port", "setup_scripts", "branch"];
	const slips: [wanted: string, meant: string | undefined][] = [
		["modle", "model"],
		["MODEL", "model"],
		["prot", "port"],
		["nam", "name"],
		["setupScripts", "setup_scripts"],
		["brnch", "branch"],
		["colour", undefined],
		["xyz", undefined],
		["", undefined],
	];
	for (const [wanted, meant] of slips) {
		it(`takes "${wanted}" for ${meant ?? "nothing known"}`, () => {
			expect(nearestName(known, wanted)).to.equal(meant);
		});
	}

	it("prefers the name that is most similar", () => {
		expect(nearestName(["models", "model", "mode"], "model")).to.equal("model");
	});

	it("compares no name that is too long for a slip", () => {
		const long = "m".repeat(101);
		expect(nearestName([long], long)).to.equal(undefined);
	});
});

describe("didYouMean()", () => {
	it("is the end of a sentence, or nothing", () => {
		expect([didYouMean(["model"], "modle"), didYouMean(["model"], "x")]).to.deep.equal(['; did you mean "model"?', ""]);
	});
});
