import { expect } from "chai";
import fc from "fast-check";
import type { Schema } from "#shared/base/schema/schema.ts";
import { fromEnvironment } from "#shared/config/env.ts";

const schema = {
	git: {
		type: "object",
		props: {
			url: { type: "string" },
			kwargs: { type: "record", key: { type: "string" }, value: { type: "any" } },
		},
	},
} as const satisfies Schema;

describe("fromEnvironment()", () => {
	it("does not change a text", () => {
		fc.assert(
			fc.property(fc.string({ unit: "binary" }), (text) => {
				expect(fromEnvironment({ GIT__URL: text }, schema)).to.deep.equal({ git: { url: text } });
				expect(fromEnvironment({ GIT__KWARGS__A: text }, schema)).to.deep.equal({ git: { kwargs: { a: text } } });
			}),
		);
	});

	const nameless: [variable: string, sentence: string][] = [
		[
			"GIT__ULR",
			'The environment variable "GIT__ULR" names no key of the configuration; did you mean "GIT__URL"? Known: GIT__URL, GIT__KWARGS',
		],
		[
			"Git__Colour",
			'The environment variable "Git__Colour" names no key of the configuration; known: Git__URL, Git__KWARGS',
		],
		["GIT__URL__X", 'The environment variable "GIT__URL__X" names no key of the configuration; remove it'],
		[
			"GIT__KWARGS____PROTO__",
			'The environment variable "GIT__KWARGS____PROTO__" names no key of the configuration; remove it',
		],
	];
	for (const [variable, sentence] of nameless) {
		it(`refuses ${variable}, which begins with a section and names no key, and does not repeat its value`, () => {
			expect(() => fromEnvironment({ [variable]: "planted" }, schema))
				.to.throw(SyntaxError)
				.with.property("message", sentence);
		});
	}

	it("leaves variables of others alone", () => {
		const others = { GIT_URL: "x", OTHER__URL: "x", __CF_USER_TEXT_ENCODING: "x", npm_config__git: "x", GIT: "x" };
		expect(fromEnvironment(others, schema)).to.deep.equal({});
	});

	it("changes no prototype, whatever a variable names", () => {
		const part = fc.oneof(
			fc.constantFrom("git", "kwargs", "__proto__", "constructor", "prototype", "_", ""),
			fc.string(),
		);
		fc.assert(
			fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
				try {
					const found = fromEnvironment({ [parts.join("__")]: "planted" }, schema);
					expect(Object.keys(found).every((key) => key === "git")).to.equal(true);
					expect(Object.getPrototypeOf(found["git"] ?? {})).to.equal(Object.prototype);
				} catch (error) {
					expect(error).to.be.instanceOf(SyntaxError);
				}
				expect(Reflect.get({}, "planted") ?? Reflect.get({}, "a")).to.equal(undefined);
			}),
			{ numRuns: 2_000 },
		);
	});
});
