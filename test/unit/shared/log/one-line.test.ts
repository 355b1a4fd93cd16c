import { expect } from "chai";
import { oneLine } from "#shared/log/one-line.ts";

describe("oneLine()", () => {
	it("removes what a terminal or a log would obey", () => {
		expect(oneLine("W\u001b[2J\nFORGED\u202e LINE\r\0", 100)).to.equal("W [2J FORGED LINE");
	});

	it("cuts a long text", () => {
		expect(oneLine("x".repeat(1_000_000), 10)).to.equal("xxxxxxxxx…");
		expect(oneLine("x".repeat(10), 10)).to.equal("xxxxxxxxxx");
	});
});
