import { expect } from "chai";
import { type CloneStep, readCloneStep } from "#agent/workspace/clone-step.ts";

describe("readCloneStep()", () => {
	const table: [line: string, step: CloneStep | undefined][] = [
		["Receiving objects:  45% (9/20), 1.2 MiB | 3.00 MiB/s", { work: "Receiving objects", percent: 45 }],
		["remote: Counting objects: 100% (3/3), done.", { work: "Counting objects", percent: 100 }],
		["remote: Enumerating objects: 3, done.", { work: "Enumerating objects" }],
		["Updating files:   7% (70/1000)", { work: "Updating files", percent: 7 }],
		["fatal: repository 'x' does not exist", undefined],
		["remote: Receiving visitors: 45% (9/20)", undefined],
		["", undefined],
	];
	for (const [line, step] of table) {
		it(`reads ${JSON.stringify(line)}`, () => {
			expect(readCloneStep(line)).to.deep.equal(step);
		});
	}
});
