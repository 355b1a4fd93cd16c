import { expect } from "chai";
import { endToEndHeaders } from "#shared/base/headers/hop-by-hop.ts";

describe("endToEndHeaders()", () => {
	it("leaves out what belongs to one connection, and what its header names", () => {
		const headers = {
			connection: "close, X-Own",
			"x-own": "1",
			te: "trailers",
			trailer: "x",
			accept: "*/*",
			host: "a",
		};
		expect(endToEndHeaders(headers)).to.deep.equal({ accept: "*/*", host: "a" });
	});

	it("keeps the headers of a message that says nothing of its connection", () => {
		expect(endToEndHeaders({ "content-length": "1" })).to.deep.equal({ "content-length": "1" });
	});
});
