import { expect } from "chai";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeFolder } from "#shared/base/files/new-folder.ts";

describe("makeFolder()", () => {
	let root: string;

	before(() => {
		root = mkdtempSync(join(tmpdir(), "atelier-new-folder-"));
	});
	after(() => rmSync(root, { recursive: true }));

	it("makes it with its parents, for one user only, also repeatedly", () => {
		const folder = join(root, "a", "b", "c");
		for (let round = 0; round < 2; round++) makeFolder(folder);
		for (const path of ["a", "a/b", "a/b/c"]) expect(statSync(join(root, path)).mode & 0o777).to.equal(0o700);
	});

	for (const [place, code] of [
		["/proc/atelier", "ENOENT"],
		["/proc/atelier/keys", "ENOENT"],
		["/proc/self/fd/atelier/keys", "ENOENT"],
		["/dev/null/keys", "ENOTDIR"],
	] as const)
		it(`says at once that "${place}" cannot be made`, () => {
			expect(() => makeFolder(place))
				.to.throw()
				.with.property("code", code);
		});

	it("does not accept a file as a folder", () => {
		const file = join(root, "file");
		writeFileSync(file, "");
		expect(() => makeFolder(file))
			.to.throw()
			.with.property("code", "EEXIST");
		expect(() => makeFolder(join(file, "below")))
			.to.throw()
			.with.property("code", "ENOTDIR");
	});
});
