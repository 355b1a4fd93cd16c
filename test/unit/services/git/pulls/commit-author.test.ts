import { expect } from "chai";
import { commitAuthor } from "#services/git/pulls/commit-author.ts";
import { compileSchema } from "#shared/base/schema/validator.ts";
import { publishOrderFields } from "#shared/wire/pod/published-work.ts";

const check = compileSchema(publishOrderFields);

describe("commitAuthor()", () => {
	for (const [display_name, email, name] of [
		["Ada Lovelace", "ada@example.com", "Ada Lovelace"],
		["", "ada@example.com", "ada@example.com"],
		["<>", "ada@example.com", "ada@example.com"],
		["Ada <ada@example.com>\nLovelace", "<ada@example.com>", "Ada ada@example.comLovelace"],
		["A".repeat(5_000), "ada@example.com", "A".repeat(1_000)],
	] as const)
		it(`has a name that a pod takes for ${JSON.stringify(display_name).slice(0, 50)}`, () => {
			const author = commitAuthor({ display_name, email });
			expect(author).to.deep.equal({ name, email: "ada@example.com" });
			const order = { path: "", url: "https://git.example/org/shop", branch: "work", message: "Work", author };
			expect(check(order)).to.deep.equal([]);
		});

	it("is nobody without an address", () => {
		for (const email of ["", "\n", "<>"]) expect(commitAuthor({ display_name: "Ada", email })).to.equal(undefined);
	});
});
