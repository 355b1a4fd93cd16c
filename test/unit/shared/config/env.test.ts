import { expect } from "chai";
import fc from "fast-check";
import type { Schema } from "#shared/bus/schema.ts";
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

	it("ignores variables without a key, and changes no prototype", () => {
		const part = fc.oneof(
			fc.constantFrom("git", "kwargs", "__proto__", "constructor", "prototype", "_", ""),
			fc.string(),
		);
		fc.assert(
			fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
				const found = fromEnvironment({ [parts.join("__")]: "planted" }, schema);
				expect(Object.keys(found).every((key) => key === "git")).to.equal(true);
				expect(Object.getPrototypeOf(found["git"] ?? {})).to.equal(Object.prototype);
				expect(Reflect.get({}, "planted") ?? Reflect.get({}, "a")).to.equal(undefined);
			}),
			{ numRuns: 2_000 },
		);
	});
});
