import { expect } from "chai";
import { scriptWords } from "#agent/workspace/script-words.ts";

describe("scriptWords()", () => {
	it("has the cause of a failed npm, and not the log file that is gone with the session's home", () => {
		const lines = [
			"npm error code ENOENT",
			"npm error syscall open",
			"npm error path /w/package.json",
			"npm error errno -2",
			"npm error enoent Could not read package.json: Error: ENOENT: no such file or directory",
			"npm error enoent This is related to npm not being able to find a file.",
			"npm error enoent",
			"npm notice New major version of npm available!",
			"npm error A complete log of this run can be found in: /home/x/.npm/_logs/2026-11-23T10_00_00_000Z-debug-0.log",
		];
		const words = scriptWords(lines);
		expect(words).to.contain("Could not read package.json").and.contain("npm error path /w/package.json");
		expect(words).to.not.contain("complete log").and.not.contain("New major");
	});

	it("has the last lines of any other program, in their order and within bounds", () => {
		expect(scriptWords(["a", "", "  b  "])).to.equal("a | b");
		expect(scriptWords(Array.from({ length: 50 }, (_line, n) => `${n}`))).to.equal("44 | 45 | 46 | 47 | 48 | 49");
		expect(scriptWords(Array<string>(9).fill("x".repeat(1_000)))).to.have.length(603);
		expect(scriptWords(["", " "])).to.equal("");
	});
});
