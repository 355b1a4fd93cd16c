import { expect } from "chai";
import { listTag } from "#shared/store/pages/list-tag.ts";

describe("listTag()", () => {
	it("is a weak entity tag (RFC 9110, 8.8.3)", () => {
		expect(listTag([], 2)).to.match(/^W\/"[\x21\x23-\x7e]*"$/);
		expect(listTag(["a:1", "b:1"], 2)).to.match(/^W\/"[\x21\x23-\x7e]+"$/);
	});

	it("is equal for equal pages, whatever follows them", () => {
		expect(listTag(["a:1", "b:1"], 2)).to.equal(listTag(["a:1", "b:1"], 2));
		expect(listTag(["a:1", "b:1", "cursor"], 2)).to.equal(listTag(["a:1", "b:1", "other"], 2));
	});

	it("differs when a document, a revision or the order does, or when there is more", () => {
		const pages = [[], ["a:1"], ["a:2"], ["a:1", "b:1"], ["b:1", "a:1"], ["a:1", "b:1", "cursor"]];
		expect(new Set(pages.map((lines) => listTag(lines, 2))).size).to.equal(pages.length);
	});
});
