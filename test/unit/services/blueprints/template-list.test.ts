import { expect } from "chai";
import { templatePage } from "#services/blueprints/template-list.ts";
import { compileSchema } from "#shared/bus/validator.ts";
import { maxMessageBytes } from "#shared/bus/message-size.ts";
import { fitsJson } from "#shared/bus/json-size.ts";
import { type Template, template } from "#shared/contracts/templates.ts";
import { BadRequestError } from "#shared/errors.ts";

function templateOf(name: string, bytes: number): Template {
	const fields = { name, system_prompt: "x".repeat(bytes) };
	compileSchema(template)(fields);
	return fields as Template;
}

describe("templatePage()", () => {
	it("is one page, by name, if the templates fit", () => {
		const { items, next } = templatePage([templateOf("b", 1), templateOf("c", 1), templateOf("a", 1)]);
		expect([items.map(({ name }) => name), next]).to.deep.equal([["a", "b", "c"], undefined]);
	});

	it("ends by bytes and goes on from there (M2)", () => {
		const names = Array.from({ length: 9 }, (_, n) => `t${n}`);
		const all = names.map((name) => templateOf(name, 250_000));
		const seen: string[] = [];
		for (let cursor: string | undefined; seen.length < 9; ) {
			const page = templatePage(all, cursor);
			expect(fitsJson(page, maxMessageBytes)).to.equal(true);
			seen.push(...page.items.map(({ name }) => name));
			if (page.next === undefined) break;
			cursor = page.next;
		}
		expect(seen).to.deep.equal(names);
	});

	it("refuses a cursor that is not ours", () => {
		expect(() => templatePage([], "x")).to.throw(BadRequestError);
	});
});
