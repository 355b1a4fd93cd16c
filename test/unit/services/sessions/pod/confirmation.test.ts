import { expect } from "chai";
import { confirmationIn } from "#services/sessions/pod/confirmation.ts";

const read = (text: string) => confirmationIn(Buffer.from(text));
const error = (content: unknown) => read(JSON.stringify({ type: "error", id: "m", content }));

describe("confirmationIn()", () => {
	it("reads confirmations", () => {
		expect(read('{"type":"user_confirmed","id":"m"}')).to.deep.equal({ id: "m" });
	});

	it("does not parse long frames", () => {
		const long = "x".repeat(9_000);
		expect(read(JSON.stringify({ type: "error", id: "m", content: long }))).to.equal(undefined);
		expect(read(JSON.stringify({ content: long, type: "user_confirmed", id: "m" }))).to.equal(undefined);
	});

	for (const text of ["", "null", "[]", "7", "{", '{"type":"user_confirmed"}', '{"type":"user_confirmed","id":7}'])
		it(`reads nothing in ${text || "an empty frame"}`, () => expect(read(text)).to.equal(undefined));

	it("makes one short line of a refusal, whatever it is", () => {
		expect(error("Too \u001b[2Jmany\n")).to.deep.equal({ id: "m", refusal: "Too [2Jmany" });
		expect(error("x".repeat(5_000))?.refusal).to.have.length(500);
		for (const content of [{ a: 1 }, null, 7, "", ["x"]])
			expect(error(content)?.refusal).to.equal("The session's pod refused the message");
	});
});
