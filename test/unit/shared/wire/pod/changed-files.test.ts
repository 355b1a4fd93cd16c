import { expect } from "chai";
import fc from "fast-check";
import { jsonBytes } from "#shared/base/answer-size.ts";
import { type ChangedFile, fitFileList, readFileList } from "#shared/wire/pod/changed-files.ts";

const letters = { new: "A", mod: "M", del: "D" } as const;

/** The output of git. */
function printed(files: readonly ChangedFile[]): string {
	const ids = "100644 100644 1111111 2222222";
	const raw = files.map(({ path, status }) => `:${ids} ${letters[status]}\0${path}\0`);
	return [...raw, ...files.map(({ path, ins, del }) => `${ins}\t${del}\t${path}\0`)].join("");
}

const path = fc.string({ minLength: 1, maxLength: 30 }).map((text) => text.replaceAll("\0", "·"));
const file: fc.Arbitrary<ChangedFile> = fc.record({
	path,
	status: fc.constantFrom("new", "mod", "del"),
	ins: fc.nat(9_999),
	del: fc.nat(9_999),
});
const files = fc.uniqueArray(file, { selector: ({ path: name }) => name, maxLength: 10 });

describe("readFileList()", () => {
	it("reads the output of git with any file names", () => {
		fc.assert(
			fc.property(files, (all) => {
				expect(readFileList(printed(all))).to.deep.equal(all);
			}),
		);
	});

	it("counts no lines of a binary file, and treats other changes as modifications", () => {
		const raw = ":100644 100755 1 2 T\0a\0:100644 100644 1 2 M\0b\0";
		expect(readFileList(`${raw}-\t-\ta\0`)).to.deep.equal([
			{ path: "a", status: "mod", ins: 0, del: 0 },
			{ path: "b", status: "mod", ins: 0, del: 0 },
		]);
		expect(readFileList("")).to.deep.equal([]);
	});
});

describe("fitFileList()", () => {
	it("includes a file that fits to the byte", () => {
		const one: ChangedFile = { path: "a", status: "new", ins: 1, del: 0 };
		expect(fitFileList([one], jsonBytes(one) + 1)).to.deep.equal({ files: [one] });
		expect(fitFileList([one], jsonBytes(one))).to.deep.equal({ files: [], truncated: true });
	});

	it("has the first files that fit, and says whether there are more", () => {
		fc.assert(
			fc.property(files, fc.nat(600), (all, limit) => {
				const list = fitFileList(all, limit);
				expect(list.files).to.deep.equal(all.slice(0, list.files.length));
				expect(list.truncated === true).to.equal(list.files.length < all.length);
				const bytes = list.files.reduce((sum, one) => sum + jsonBytes(one) + 1, 0);
				expect(bytes).to.be.at.most(limit);
				const next = all[list.files.length];
				if (next) expect(bytes + jsonBytes(next) + 1).to.be.above(limit);
			}),
		);
	});
});
