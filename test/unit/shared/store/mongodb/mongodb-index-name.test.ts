import { expect } from "chai";
import { declaredIndex, indexName, isOurs } from "#shared/store/mongodb/mongodb-index-name.ts";

describe("the name of an index", () => {
	it("has the declared name and the columns in order, so that a changed index has another one", () => {
		expect(indexName("by_key", { tenant: 1, key: 1 })).to.equal("by_key:tenant,key");
		expect(indexName("by_key", { key: 1, tenant: 1 })).not.to.equal(indexName("by_key", { tenant: 1, key: 1 }));
		expect(declaredIndex(indexName("by_key", { tenant: 1, key: 1 }))).to.equal("by_key");
	});

	it("is told from the names that others give", () => {
		expect(isOurs(indexName("by_key", {}))).to.equal(true);
		for (const name of ["_id_", "tenant_1_key_1"]) expect(isOurs(name)).to.equal(false);
	});
});
