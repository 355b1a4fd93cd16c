import { expect } from "chai";
import fc from "fast-check";
import { join, relative } from "node:path";
import { pathBelow } from "#shared/wire/pod/path-below.ts";

describe("pathBelow()", () => {
	it("never leads out of the folder", () => {
		const part = fc.constantFrom("..", ".", "a", "b c", "", "...", ".git");
		fc.assert(
			fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
				const below = pathBelow(parts.join("/"));
				if (below === undefined) return;
				expect(relative("/workspace", join("/workspace", below))).to.match(/^(?!\.\.(\/|$)).+/);
			}),
		);
	});

	for (const path of ["", ".", "..", "/etc/passwd", "../workspace-evil", "a/../..", "a\0b"]) {
		it(`refuses ${JSON.stringify(path)}`, () => expect(pathBelow(path)).to.equal(undefined));
	}
});
