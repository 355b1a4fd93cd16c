import { expect } from "chai";
import fc from "fast-check";
import { bodyWithoutSecrets, failureWithin, oneLine, wordsOf } from "#shared/model-proxy/provider/provider-words.ts";

describe("wordsOf()", () => {
	const table: [body: string, words: string][] = [
		['{"error":{"message":"No money","type":"x"}}', "No money"],
		['{"error":"No money"}', "No money"],
		['{"message":"No money"}', "No money"],
		['{"detail":"No money"}', "No money"],
		['[{"error":{"message":"No money"}}]', "No money"],
		['{"error":{"message":""},"message":"No money"}', "No money"],
		["<html><b>Bad</b>\n<i>gateway</i></html>", "Bad gateway"],
		["plain\ttext\u0000", "plain text"],
		["", ""],
	];
	for (const [body, words] of table) {
		it(`are "${words}" in ${JSON.stringify(body)}`, () => {
			expect(wordsOf(body)).to.equal(words);
		});
	}

	it("are one line of at most 500 bytes of JSON, for any body", () => {
		fc.assert(
			fc.property(fc.string({ unit: "binary", maxLength: 300 }), (body) => {
				for (const words of [wordsOf(body), oneLine(body)]) {
					expect(Buffer.byteLength(JSON.stringify(words))).to.be.at.most(500);
					expect(words).not.to.match(/[\p{Cc}]/u);
				}
			}),
		);
		expect(oneLine("x".repeat(9_000))).to.equal("x".repeat(498));
	});
});

describe("failureWithin()", () => {
	const table: [told: Record<string, unknown>, words: string | undefined][] = [
		[{ type: "error", error: { message: "Overloaded" } }, "Overloaded"],
		[{ error: { message: "Overloaded" } }, "Overloaded"],
		[{ error: "Overloaded" }, "Overloaded"],
		[{ type: "response.failed", response: { error: { message: "Overloaded" } } }, "Overloaded"],
		[{ type: "error" }, "no reason given"],
		[{ type: "response.completed", response: { error: null } }, undefined],
		[{ error: null, message: "All is well" }, undefined],
		[{ error: "" }, undefined],
		[{ choices: [] }, undefined],
	];
	for (const [told, words] of table) {
		it(`is ${words ?? "nothing"} in ${JSON.stringify(told)}`, () => {
			expect(failureWithin(told)).to.equal(words);
		});
	}
});

describe("bodyWithoutSecrets()", () => {
	const clean = (text: string) => text.replaceAll("KEY", "***");

	it("keeps the provider's own text if it contains no secret", () => {
		for (const body of ['{ "a" : 1 }', "plain", ""]) expect(bodyWithoutSecrets(body, clean)).to.equal(body);
	});

	it("finds a secret behind the escapes of JSON", () => {
		expect(bodyWithoutSecrets("the KEY", clean)).to.equal("the ***");
		expect(bodyWithoutSecrets('{ "a": "\\u004bEY" }', clean)).to.equal('{"a":"***"}');
		expect(bodyWithoutSecrets('{ "a": "KEY" }', clean)).to.equal('{"a":"***"}');
	});
});
