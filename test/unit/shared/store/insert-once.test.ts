import { expect } from "chai";
import { DuplicateKeyError } from "#shared/store/port/documents.ts";
import { insertOnce } from "#shared/store/insert-once.ts";
import { failureOf } from "../../../support/failure-of.ts";

describe("insertOnce()", () => {
	it("reports whether this insert added the document", async () => {
		const ids = new Set<string>();
		const insert = (id: string) => async () => {
			if (ids.has(id)) throw new DuplicateKeyError("names", "id");
			ids.add(id);
		};
		expect(await Promise.all(["a", "b", "a", "a"].map((id) => insertOnce(insert(id))))).to.deep.equal([
			true,
			true,
			false,
			false,
		]);
	});

	it("does not mistake another failure for an existing document", async () => {
		const broken = async () => {
			throw new Error("The disk is full");
		};
		expect(await failureOf<Error>(insertOnce(broken))).to.have.property("message", "The disk is full");
	});
});
