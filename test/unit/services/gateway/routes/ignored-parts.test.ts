import { expect } from "chai";
import fc from "fast-check";
import { schema } from "#shared/base/schema/schema.ts";
import { compileIgnored } from "#services/gateway/routes/ignored-parts.ts";
import { warningHeaders } from "#services/gateway/routes/warning-headers.ts";

const body = schema({
	name: { type: "string" },
	model: { type: "string", optional: true },
	source: { type: "object", props: { type: { type: "string" }, branch: { type: "string" } } },
	paths: { type: "array", items: { type: "object", props: { host_path: { type: "string" } } } },
	env: { type: "record", key: { type: "string" }, value: { type: "string" } },
	free: { type: "any" },
	config: { type: "record", key: { type: "string" }, value: { type: "any" }, names: ["agent", "permission_mode"] },
	either: {
		type: "multi",
		rules: [
			{ type: "string" },
			{ type: "object", props: { a: { type: "string" } } },
			{ type: "object", props: { b: { type: "string" } } },
		],
	},
});
const ignoredIn = compileIgnored(["status", "limit"], body);
const told = (sent: Record<string, unknown>, query = "") => ignoredIn({ query, body: sent });

describe("compileIgnored()", () => {
	it("says nothing about what the contract names, and about members that are free", () => {
		const known = {
			name: "x",
			source: { type: "git", branch: "main" },
			paths: [{ host_path: "/a" }],
			env: { ANY: "thing" },
			free: { any: { thing: 1 } },
			either: { a: "1", b: "2" },
			config: { permission_mode: "ask", image: "node", of_another_client: 1 },
		};
		expect(told(known, "status=running&limit=5")).to.deep.equal([]);
	});

	const table: [what: string, sent: Record<string, unknown>, sentence: string][] = [
		["a member", { modle: "x" }, 'Unknown member "modle" of the body; did you mean "model"?'],
		["nothing similar", { colour: "x" }, 'Unknown member "colour" of the body'],
		["a deeper one", { source: { brnch: "x" } }, 'Unknown member "source.brnch" of the body; did you mean "branch"?'],
		[
			"one in a list",
			{ paths: [{}, { hostPath: "" }] },
			'Unknown member "paths.1.hostPath" of the body; did you mean "host_path"?',
		],
		[
			"a misspelt one among free ones",
			{ config: { permision_mode: "ask" } },
			'Unknown member "config.permision_mode" of the body; did you mean "permission_mode"?',
		],
		["one of no alternative", { either: { c: 1 } }, 'Unknown member "either.c" of the body'],
		["a parameter of the query", { limit: 1 }, 'Unknown member "limit" of the body; it belongs in the query'],
	];
	for (const [what, sent, sentence] of table) {
		it(`names ${what}`, () => expect(told(sent)).to.deep.equal([sentence]));
	}

	it("ends the search of a body after 1,010 unknown names", () => {
		let looked = 0;
		const names = Array.from({ length: 40_000 }, (_one, n) => `unknown${n}`);
		const paths = names.map((name) => new Proxy({ [name]: 1 }, { ownKeys: (one) => (looked++, Reflect.ownKeys(one)) }));
		expect(told({ paths }).at(-1)).to.equal("More than 1000 more unknown names");
		expect(looked).to.equal(1_011);
		expect(told(Object.fromEntries(names.slice(0, 1_010).map((name) => [name, 1]))).at(-1)).to.equal(
			"1000 more unknown names",
		);
	});

	it("names a query parameter, and says when it is a member of the body", () => {
		expect(told({}, "limt=1&limt=2&name=x")).to.deep.equal([
			'Unknown query parameter "limt"; did you mean "limit"?',
			'Unknown query parameter "name"; it belongs in the body',
		]);
	});

	it("leaves a free body alone", () => {
		expect(compileIgnored([], undefined)({ query: "", body: { any: 1 } })).to.deep.equal([]);
	});

	it("tells ten names and counts the others, cuts them, and repeats no value", () => {
		const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`${"m".repeat(200)}${n}`, "secret"]));
		const numbered = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`n${n}${"m".repeat(200)}`, "secret"]));
		for (const sent of [many, numbered]) {
			const sentences = told(sent);
			expect(sentences.length).to.be.at.most(11);
			expect(sentences.join("").length).to.be.below(1_500);
			expect(sentences.join("")).not.to.contain("secret");
		}
		expect(told(numbered).at(-1)).to.equal("20 more unknown names");
	});

	it("makes a header that is printable and a list of JSON texts, whatever the names are", () => {
		fc.assert(
			fc.property(fc.array(fc.string({ unit: "binary" }), { maxLength: 20 }), (names) => {
				const sentences = told(Object.fromEntries(names.map((name) => [name, 1])));
				const [, value = ""] = warningHeaders(sentences);
				expect(value).to.match(/^[\u0020-\u007e]*$/);
				expect(JSON.parse(`[${value}]`)).to.deep.equal(sentences);
			}),
			{ numRuns: 50 },
		);
	});
});
