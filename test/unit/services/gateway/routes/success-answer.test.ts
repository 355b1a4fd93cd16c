import { expect } from "chai";
import { ActionRoute } from "#services/gateway/routes/action-route.ts";
import { successAnswer } from "#services/gateway/routes/success-answer.ts";
import { defineContract } from "#shared/contracts/contract.ts";
import { jsonText } from "#shared/base/schema/json-text.ts";

const item = { type: "object", props: { id: { type: "string" } } } as const;
const page = { type: "object", props: { items: { type: "array", items: item } } } as const;

const { get, list, look, remove } = defineContract("things", {
	get: { rest: "GET /things/:id", summary: "One", params: {}, returns: item },
	list: { rest: "GET /things", summary: "All", params: {}, returns: page, paged: true },
	look: {
		rest: "GET /things/page",
		summary: "A page",
		params: {},
		produces: "text/html",
		returns: { type: "object", props: { html: { type: "string" }, policy: { type: "string" } } },
	},
	remove: { rest: "DELETE /things/:id", summary: "Gone", params: {} },
}).actions;

describe("successAnswer()", () => {
	const answer = (result: unknown, url = "/things") => successAnswer(new ActionRoute(list, "GET /things"), result, url);

	it("is the result as JSON, unchanged if it is text already, and no body without a result", () => {
		const one = new ActionRoute(get, "GET /things/:id");
		expect(successAnswer(one, { id: "a" }, "/")).to.deep.equal({ status: 200, body: '{"id":"a"}' });
		expect(successAnswer(one, jsonText('{ "id": "a" }'), "/").body).to.equal('{ "id": "a" }');
		expect(successAnswer(new ActionRoute(remove, "DELETE /things/:id"), undefined, "/")).to.deep.equal({ status: 204 });
	});

	it("is a page for people, with its own policy", () => {
		const route = new ActionRoute(look, "GET /things/page");
		const result = { html: "<p>Hi", policy: "default-src 'none'" };
		expect(successAnswer(route, result, "/")).to.deep.equal({
			status: 200,
			body: "<p>Hi",
			type: "text/html; charset=utf-8",
			policy: "default-src 'none'",
		});
		expect(() => successAnswer(route, "<p>", "/")).to.throw(TypeError);
	});

	it("is the items of a page, which is not cached unless it has a tag", () => {
		const items = [{ id: "a" }];
		expect(answer({ items })).to.deep.equal({ status: 200, body: '[{"id":"a"}]', headers: [], caching: "no-store" });
		const tagged = answer({ items, etag: 'W/"x"' });
		expect(tagged).to.deep.include({ headers: ["ETag", 'W/"x"'], caching: "private, no-cache" });
	});

	it("is 304 without a body when the client has the page", () => {
		expect(answer({ items: [], etag: 'W/"x"', unchanged: true })).to.deep.equal({
			status: 304,
			headers: ["ETag", 'W/"x"'],
			caching: "private, no-cache",
		});
	});

	const links: [url: string, link: string][] = [
		["/things", "</things?cursor=a%2Fb>"],
		["/things?limit=2", "</things?limit=2&cursor=a%2Fb>"],
		["/things?cursor=old&limit=2", "</things?cursor=a%2Fb&limit=2>"],
		["/thi>ngs?a=%3E", "</thi%3Engs?a=%3E&cursor=a%2Fb>"],
	];
	for (const [url, link] of links) {
		it(`names the next page of ${url}`, () => {
			expect(answer({ items: [], next: "a/b" }, url).headers).to.deep.equal(["Link", `${link}; rel="next"`]);
		});
	}

	it("refuses a page without items", () => {
		for (const result of [undefined, null, [], {}]) expect(() => answer(result)).to.throw(TypeError);
	});
});
