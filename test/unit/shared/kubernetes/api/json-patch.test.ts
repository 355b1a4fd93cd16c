import { expect } from "chai";
import { jsonPatch } from "#shared/kubernetes/api/json-patch.ts";

describe("jsonPatch()", () => {
	it("writes texts as the cluster's API does, which compares them character by character", () => {
		const value = '<a href="x">&\u2028\u2029</a> ü😀';
		const text = jsonPatch([{ op: "test", path: "/metadata/annotations/a", value }]);
		expect(text).to.contain(String.raw`"\u003ca href=\"x\"\u003e\u0026\u2028\u2029\u003c/a\u003e ü😀"`);
		expect(JSON.parse(text)).to.deep.equal([{ op: "test", path: "/metadata/annotations/a", value }]);
	});
});
