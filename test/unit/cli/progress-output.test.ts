import { expect } from "chai";
import { ProgressOutput } from "../../../cli/progress-output.ts";

/** The output of a program that reports its beginning, shows progress twice, and reports its end. */
function written(isTTY: boolean): string {
	let text = "";
	const output = new ProgressOutput({ isTTY, write: (more) => (text += more) });
	output.say("Installing");
	output.progress("1 of 3 MB");
	output.progress("2 of 3 MB");
	output.endProgress();
	output.say("Installed");
	return text;
}

describe("ProgressOutput", () => {
	it("shows progress on one line of a terminal, and leaves none of it there", () => {
		const empty = "\r\x1b[2K";
		expect(written(true)).to.equal(`Installing\n${empty}1 of 3 MB${empty}2 of 3 MB${empty}Installed\n`);
	});

	it("writes every progress as a line without a terminal", () => {
		expect(written(false)).to.equal("Installing\n1 of 3 MB\n2 of 3 MB\nInstalled\n");
	});
});
