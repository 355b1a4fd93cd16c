import { expect } from "chai";
import { readPage, storedPage } from "#shared/store/pages/stored-page.ts";

const documents = [
	{ id: "b", wire: '{"id": "b"}', rev: 2 },
	{ id: "a", wire: '{"id": "a"}', rev: 1 },
];
const versions = async () => "b:2\na:1";

async function neverRead(): Promise<never> {
	throw new Error("The page was read");
}

describe("storedPage()", () => {
	it("joins the stored texts as they are", async () => {
		const page = await storedPage({ page: async () => ({ documents }), versions }, 2);
		expect(page.items).to.deep.equal({ $json: '[{"id": "b"},{"id": "a"}]' });
		expect(page.etag).to.match(/^W\/".+"$/);
		expect(page).to.not.have.any.keys("next", "unchanged");
	});

	it("does not read a page that the client has", async () => {
		const { etag = "" } = await storedPage({ page: async () => ({ documents }), versions }, 2);
		const known = `"other", ${etag}`;
		const again = await storedPage({ page: neverRead, versions }, 2, known);
		expect(again).to.deep.equal({ items: { $json: "[]" }, etag, unchanged: true });
		const changed = { page: async () => ({ documents: [] }), versions: async () => "" };
		expect(await storedPage(changed, 2, known)).to.not.have.property("unchanged");
	});

	it("gives no tag to a page that its bytes ended, because the versions would cover more", async () => {
		const short = { documents: documents.slice(0, 1), next: "cursor" };
		const page = await storedPage({ page: async () => short, versions }, 2);
		expect(page).to.include({ next: "cursor" }).and.to.not.have.property("etag");
	});
});

describe("readPage()", () => {
	it("compares the documents that were read", () => {
		const { etag = "", next } = readPage({ documents, next: "cursor" });
		expect(next).to.equal("cursor");
		expect(readPage({ documents, next: "cursor" }, etag).unchanged).to.equal(true);
		for (const other of [{ documents }, { documents: documents.toReversed(), next: "cursor" }, { documents: [] }])
			expect(readPage(other, etag)).to.not.have.property("unchanged");
	});
});
