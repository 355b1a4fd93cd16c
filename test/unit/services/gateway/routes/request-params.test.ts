import { expect } from "chai";
import fc from "fast-check";
import { schema } from "#shared/base/schema/schema.ts";
import { InvalidRequestError } from "#services/gateway/http/http-errors.ts";
import { compileParams, placeOf } from "#services/gateway/routes/request-params.ts";

const fields = schema({
	id: { type: "string" },
	text: { type: "string", optional: true },
	count: { type: "number", integer: true, optional: true },
	flag: { type: "boolean", optional: true },
});
const read = compileParams(fields, "GET", "/things/:id");
const path = { id: "x" };

describe("placeOf()", () => {
	it("is the path that names it, the query of a GET or of a next page, else the body", () => {
		expect(placeOf("POST", "/a", "cursor")).to.equal("query");
		expect(placeOf("POST", "/a", "id", ["id"])).to.equal("query");
		expect(placeOf("GET", "/a/:id/b", "id")).to.equal("path");
		expect(placeOf("GET", "/a/:identity", "id")).to.equal("query");
		for (const method of ["POST", "PUT", "PATCH", "DELETE"] as const) {
			expect(placeOf(method, "/a/:id", "id")).to.equal("path");
			expect(placeOf(method, "/a", "id")).to.equal("body");
		}
	});
});

describe("compileParams()", () => {
	it("reads every whole number of up to nine digits, and no other text as one", () => {
		fc.assert(
			fc.property(fc.integer({ min: -999_999_999, max: 999_999_999 }), (count) => {
				expect(read({ path, query: `count=${count}`, body: {} })).to.deep.equal({ id: "x", count });
			}),
		);
		fc.assert(
			fc.property(fc.string(), (text) => {
				fc.pre(!/^-?\d{1,9}$/.test(text));
				const query = new URLSearchParams({ count: text }).toString();
				expect(() => read({ path, query, body: {} })).to.throw(InvalidRequestError);
			}),
		);
	});

	it("returns a text unchanged, with any content", () => {
		fc.assert(
			fc.property(fc.string({ unit: "grapheme" }), (text) => {
				const query = new URLSearchParams({ text }).toString();
				expect(read({ path, query, body: { text: "from the body" } })).to.deep.equal({ id: "x", text });
			}),
		);
	});

	it("survives any query, and accepts only what the contract names", () => {
		fc.assert(
			fc.property(fc.string({ unit: "binary" }), (query) => {
				try {
					expect(Object.keys(fields)).to.include.members(Object.keys(read({ path, query, body: {} })));
				} catch (error) {
					expect(error).to.be.instanceOf(InvalidRequestError);
				}
			}),
			{ numRuns: 1_000 },
		);
	});

	it("refuses a contract with parameters that a URL cannot carry", () => {
		const list = schema({ list: { type: "array", items: { type: "string" } } });
		expect(() => compileParams(list, "GET", "/things")).to.throw(TypeError, '"list" of type "array"');
		expect(() => compileParams(list, "POST", "/things/:list")).to.throw(TypeError);
	});
});
