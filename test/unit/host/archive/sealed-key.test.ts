/** The installation key of an archive: only its passphrase opens it, and nobody puts another key into its place. */
import { expect } from "chai";
import { ArchiveError } from "#host/archive/archive-format.ts";
import { openKey, sealedKeyOf, sealKey } from "#host/archive/sealed-key.ts";

describe("a sealed installation key", function () {
	this.timeout(10_000);

	it("is opened by its passphrase only", () => {
		const sealed = sealKey("the-key", "correct horse");
		expect(JSON.stringify(sealed)).not.to.include("the-key");
		expect(openKey(sealedKeyOf(JSON.parse(JSON.stringify(sealed))), "correct horse")).to.equal("the-key");
		expect(() => openKey(sealed, "another horse")).to.throw(ArchiveError, "The passphrase does not open");
	});

	it("is refused when it was changed, and when nobody has sealed it", () => {
		const { salt, sealed } = sealKey("the-key", "correct horse");
		const changed = sealed.replace(/.(?=.{8}$)/, (character) => (character === "A" ? "B" : "A"));
		expect(() => openKey({ salt, sealed: changed }, "correct horse")).to.throw(ArchiveError, "does not open");
		expect(() => openKey({ salt, sealed: "a key of somebody else" }, "correct horse")).to.throw(
			ArchiveError,
			"The installation key of the archive was changed",
		);
	});

	for (const [what, value] of Object.entries({
		"no object": "sealed",
		"no salt": { sealed: "x" },
		"a text that is too long": { salt: "x", sealed: "x".repeat(1_001) },
	}))
		it(`is refused with ${what}`, () => {
			expect(() => sealedKeyOf(value)).to.throw(ArchiveError, "was changed");
		});
});
