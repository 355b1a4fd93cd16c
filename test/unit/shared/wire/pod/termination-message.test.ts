import { expect } from "chai";
import { failureIn, terminationMessage } from "#shared/wire/pod/termination-message.ts";

describe("terminationMessage()", () => {
	it("is read again", () => {
		const failure = { code: "CLONE_FAILED", message: 'It said "no"' };
		expect(failureIn(terminationMessage(failure))).to.deep.equal(failure);
	});

	it("is shortened to what a kubelet keeps", () => {
		const text = terminationMessage({ code: "SETUP_FAILED", message: "\u{1F600}".repeat(5_000) });
		expect(Buffer.byteLength(text)).to.be.at.most(4_096);
		expect(failureIn(text)?.code).to.equal("SETUP_FAILED");
	});

	it("is none of another program", () => {
		for (const text of ["", "Killed", "{}", '{"code":7,"message":""}'])
			expect(failureIn(text), text).to.equal(undefined);
	});
});
