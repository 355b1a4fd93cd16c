import { expect } from "chai";
import { placedYamlDocuments, yamlValue } from "#shared/base/yaml/yaml-text.ts";

describe("placedYamlDocuments() and yamlValue()", () => {
	it("read the values of a text", () => {
		expect(placedYamlDocuments("a: 1\n---\n- x\n").map(({ value }) => value)).to.deep.equal([{ a: 1 }, ["x"]]);
		expect(yamlValue("a: &x [1]\nb: *x\n")).to.deep.equal({ a: [1], b: [1] });
		expect(yamlValue("")).to.equal(null);
		expect(() => yamlValue("a: 1\n---\nb: 2\n")).to.throw(SyntaxError, "there is more than one document");
	});

	it("say what is wrong and where, without a word of the text", () => {
		const bomb = `a: &a [s3cret]\n${"bcdefghij"
			.split("")
			.map((key, n) => `${key}: &${key} [${`*${"abcdefghi"[n]}, `.repeat(9)}]`)
			.join("\n")}`;
		const wrong = [
			"s3cret: [",
			"s3cret: 1\ns3cret: 2",
			"a: !s3cret x",
			"a: *s3cret",
			"\ts3cret: x",
			"a: 's3cret",
			bomb,
		];
		for (const text of wrong)
			expect(() => placedYamlDocuments(text), text.slice(0, 20))
				.to.throw(SyntaxError)
				.with.property("message")
				.that.does.not.include("s3cret");
		expect(() => placedYamlDocuments("a: 1\na: 2")).to.throw(SyntaxError, /^duplicate key at line 2, column 1$/);
	});
});
