import { expect } from "chai";
import { oneLine, plainText } from "#shared/base/one-line.ts";

describe("oneLine()", () => {
	it("removes what a terminal or a log would obey", () => {
		expect(oneLine("W\u001b[2J\nFORGED\u202e LINE\r\0", 100)).to.equal("W [2J FORGED LINE");
	});

	it("cuts a long text", () => {
		expect(oneLine("x".repeat(1_000_000), 10)).to.equal("xxxxxxxxx…");
		expect(oneLine("x".repeat(10), 10)).to.equal("xxxxxxxxxx");
	});
});

describe("plainText()", () => {
	it("keeps lines, and removes other control characters", () => {
		expect(plainText("a\u001b[2J\n\tb\u202e\r\0é", 100)).to.equal("a[2J\n\tbé");
		expect(plainText("x".repeat(50), 10)).to.have.length(10);
	});
});
