import { expect } from "chai";
import fc from "fast-check";
import { jsonMistake } from "#services/gateway/http/json-mistake.ts";

function isJson(text: string): boolean {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}

describe("jsonMistake()", () => {
	for (const [text, place, expected] of [
		["", "line 1, column 1", "a value"],
		['{"a":}', "line 1, column 6", "a value"],
		["{a: 1}", "line 1, column 2", 'a name in double quotes or "}"'],
		['{"a": 1,}', "line 1, column 9", "a name in double quotes"],
		['{\n\t"a": 1\n\t"b": 2\n}', "line 3, column 2", '"," or "}"'],
		['{"a" 1}', "line 1, column 6", '":"'],
		["[1 2]", "line 1, column 4", '"," or "]"'],
		["[", "line 1, column 2", 'a value or "]"'],
		["{} {}", "line 1, column 4", "the end of the text"],
		['{"a": "b', "line 1, column 7", 'a text with valid escapes, without line breaks, that ends with "'],
	] as const) {
		it(`says where ${JSON.stringify(text)} is wrong, and what was expected there`, () => {
			expect(jsonMistake(text)?.sentence).to.equal(`Expected ${expected} at ${place}`);
		});
	}

	it("finds a mistake exactly where the runtime finds one", () => {
		const piece = fc.constantFrom(...Array.from('[]{},:"\\ \n-0.1e'), "true", "null", '"a"', '"\\u00e9"', "\u0001");
		const broken = fc.array(piece, { maxLength: 12 }).map((all) => all.join(""));
		const cut = fc.tuple(fc.json(), fc.nat(200)).map(([text, length]) => text.slice(0, length));
		fc.assert(
			fc.property(fc.oneof(broken, cut, fc.json()), (text) => {
				expect(jsonMistake(text) === undefined, text).to.equal(isJson(text));
			}),
			{ numRuns: 5_000 },
		);
	});

	it("reads half a megabyte, and never repeats the text", () => {
		const sentence = jsonMistake(`{"password": "${"hunter2".repeat(75_000)}" x}`)?.sentence;
		expect(sentence).to.equal('Expected "," or "}" at line 1, column 525017');
		expect(jsonMistake("[".repeat(500_000))?.at).to.equal(500_000);
	});
});
