import { expect } from "chai";
import { TextSeal } from "#shared/base/secrets/sealed-text.ts";

const seal = new TextSeal(Buffer.alloc(32, 1).toString("base64url"));

describe("TextSeal", () => {
	it("opens what it sealed, and nobody sees it meanwhile", () => {
		const sealed = seal.seal("s3cret \u{1F511}", "user/alice/a.json");
		expect(sealed).not.to.contain("s3cret");
		expect(seal.open(sealed, "user/alice/a.json")).to.equal("s3cret \u{1F511}");
		expect(seal.seal("s3cret", "x")).not.to.equal(seal.seal("s3cret", "x"));
	});

	it("refuses another key, another place and every changed byte", () => {
		const sealed = seal.seal("s3cret", "user/alice/a.json");
		const other = new TextSeal(Buffer.alloc(32, 2).toString("base64"));
		expect(() => other.open(sealed, "user/alice/a.json")).to.throw("another key");
		expect(() => seal.open(sealed, "user/bob/a.json")).to.throw("was changed");
		expect(() => new TextSeal(undefined).open(sealed, "user/alice/a.json")).to.throw("there is no key");
		const head = sealed.indexOf(":") + 1;
		const bytes = Buffer.from(sealed.slice(head), "base64");
		for (let index = 0; index < bytes.length; index++) {
			const changed = Buffer.from(bytes);
			changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
			expect(() => seal.open(sealed.slice(0, head) + changed.toString("base64"), "user/alice/a.json")).to.throw(
				"changed",
			);
		}
		for (const length of [0, 5, 12, 20, 27]) {
			const cut = sealed.slice(0, head) + bytes.subarray(0, length).toString("base64");
			expect(() => seal.open(cut, "user/alice/a.json")).to.throw();
		}
	});

	it("returns what was stored before there was a key", () => {
		expect(seal.open('{"a":1}', "x")).to.equal('{"a":1}');
		expect(new TextSeal("").seal("plain", "x")).to.equal("plain");
	});

	for (const key of ["short", "x".repeat(43) + "==", Buffer.alloc(31).toString("base64"), "é".repeat(43)])
		it(`refuses the key ${key} and does not repeat it`, () => {
			expect(() => new TextSeal(key))
				.to.throw(RangeError)
				.and.satisfy(({ message }: Error) => !message.includes(key));
		});
});
