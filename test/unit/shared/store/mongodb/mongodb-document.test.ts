import { expect } from "chai";
import { documentOf, storedDocument } from "#shared/store/mongodb/mongodb-document.ts";
import { event, job, jobs } from "../../../../support/stores/sample-collections.ts";

describe("a document in MongoDB", () => {
	it("is read as it was written, without what stands for absent keys and without its events", () => {
		const documents = [job("a"), job("b", { key: "k", spent: 0, notes: { a: [null] }, made: "" })];
		for (const document of documents) {
			expect(documentOf(jobs, storedDocument(jobs, document, []))).to.deep.equal(document);
			expect(documentOf(jobs, storedDocument(jobs, document, [event(1), event(2)]))).to.deep.equal(document);
		}
	});

	it("says since when its first event waits", () => {
		const stored = storedDocument(jobs, job("a"), [event(1, 70), event(2, 80)]);
		expect(stored).to.deep.include({ _id: "a", _outbox: [event(1, 70), event(2, 80)], _outbox_since: 70 });
		expect(storedDocument(jobs, job("a"), [])).not.to.have.any.keys("_outbox", "_outbox_since");
	});

	it("collides with no other one that lacks a key", () => {
		const keyOf = (id: string) => JSON.stringify(storedDocument(jobs, job(id), [])["key"]);
		expect(keyOf("a")).not.to.equal(keyOf("b"));
		expect(storedDocument(jobs, job("a", { key: "k" }), [])["key"]).to.equal("k");
	});
});
