import { expect } from "chai";
import fc from "fast-check";
import { reforgedName } from "#services/sessions/chronicles/session-reforge.ts";
import { sessionCreateFields } from "#shared/contracts/sessions/session-resource.ts";

const nameForm = new RegExp(sessionCreateFields.name.pattern);

describe("reforgedName()", () => {
	it("adds a word once", () => {
		expect(reforgedName("api")).to.equal("api-reforged");
		expect(reforgedName("api-reforged")).to.equal("api-reforged");
	});

	it("makes a valid name of every name", () => {
		fc.assert(
			fc.property(fc.stringMatching(nameForm), (name) => {
				expect(reforgedName(name)).to.match(nameForm).and.to.have.lengthOf.at.most(63);
			}),
		);
	});
});
