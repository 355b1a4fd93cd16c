import { expect } from "chai";
import { chosenProcessors, readProcessorList } from "#agent/coding-agents/limited-command.ts";

describe("readProcessorList()", () => {
	const table: [text: string, list: number[]][] = [
		["0", [0]],
		["0-3,8", [0, 1, 2, 3, 8]],
		["", []],
		["nonsense", []],
		["3-1", []],
	];
	for (const [text, list] of table) {
		it(`reads ${JSON.stringify(text)}`, () => {
			expect(readProcessorList(text)).to.deep.equal(list);
		});
	}
});

describe("chosenProcessors()", () => {
	it("chooses as many as wanted among the allowed ones, always the same for one session", () => {
		const allowed = [0, 1, 2, 3, 8];
		for (const id of ["a", "b", "c", "d", "e", "f"]) {
			const chosen = chosenProcessors(allowed, 2, id);
			expect(new Set(chosen).size).to.equal(2);
			expect(allowed).to.include.members(chosen);
			expect(chosenProcessors(allowed, 2, id)).to.deep.equal(chosen);
		}
	});

	it("spreads sessions over the processors", () => {
		const ids = Array.from({ length: 200 }, (_, n) => `session-${n}`);
		const used = new Set(ids.flatMap((id) => chosenProcessors([0, 1, 2, 3], 1, id)));
		expect(used).to.deep.equal(new Set([0, 1, 2, 3]));
	});
});
