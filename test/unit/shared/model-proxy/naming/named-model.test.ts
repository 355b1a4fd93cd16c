import { expect } from "chai";
import { bodyOfModel, namedModel, pathOfModel, refuseModelTools } from "#shared/model-proxy/naming/named-model.ts";
import { ProxyError } from "#shared/model-proxy/proxy-error.ts";
import type { ProxyRoute } from "#shared/model-proxy/proxy-route.ts";

const inBody: ProxyRoute = { wire: "anthropic", kind: "call", path: "/v1/messages", model: undefined };
const inPath: ProxyRoute = {
	wire: "gemini",
	kind: "call",
	path: "/v1beta/models/g:generateContent?alt=sse",
	model: "g",
};

describe("namedModel()", () => {
	it("is in the path before the body", () => {
		expect(namedModel(inBody, { model: "m" })).to.equal("m");
		expect(namedModel(inPath, { model: "m" })).to.equal("g");
	});

	it("refuses a request that names none", () => {
		for (const model of [undefined, "", null, 7, ["m"]])
			expect(() => namedModel(inBody, { model })).to.throw(ProxyError, "The request names no model");
	});

	it("refuses members that may name others, as lenient parsers read them", () => {
		// U+212A and U+017F are "k" and "s" to a parser that takes members in any case.
		for (const name of ["models", "Model", "MODELS", "fallbacks", "fallbac\u212As", "model\u017F"])
			expect(() => namedModel(inBody, { model: "m", [name]: "x" }), name).to.throw(ProxyError, `without "${name}"`);
		expect(namedModel(inBody, { model: "m", modelling: "x" })).to.equal("m");
	});
});

describe("refuseModelTools()", () => {
	it("refuses a tool that names a model, and no other", () => {
		for (const tools of [[{ name: "a" }, { model: "x" }], { model: "x" }])
			expect(() => refuseModelTools({ tools })).to.throw(ProxyError, "another");
		for (const tools of [undefined, [], [{ name: "a" }], "x"]) refuseModelTools({ tools });
	});
});

describe("bodyOfModel() and pathOfModel()", () => {
	it("do not change a request that names the session's model", () => {
		const body = { model: "m", a: 1 };
		expect(bodyOfModel(inBody, body, JSON.stringify(body), "m")).to.equal(body);
		expect(pathOfModel(inBody, "m")).to.equal(inBody.path);
		expect(pathOfModel(inPath, "g")).to.equal(inPath.path);
	});

	it("name the session's model instead of any other", () => {
		expect(bodyOfModel(inBody, { model: "x", a: 1 }, '{"model":"x","a":1}', "m")).to.deep.equal({ model: "m", a: 1 });
		expect(pathOfModel(inPath, "m")).to.equal("/v1beta/models/m:generateContent?alt=sse");
		expect(pathOfModel(inPath, "a/$&:b")).to.equal("/v1beta/models/a%2F%24%26%3Ab:generateContent?alt=sse");
		expect(bodyOfModel(inPath, { model: "x" }, "", "m")).to.deep.equal({ model: "x" });
	});

	it("rewrite a body that names a model twice, of which a provider may read the other one", () => {
		const text = '{"model":"x","model":"m"}';
		const body = { model: "m" };
		const sent = bodyOfModel(inBody, body, text, "m");
		expect(sent).to.deep.equal(body);
		expect(sent, "a body that is written anew").not.to.equal(body);
	});
});
