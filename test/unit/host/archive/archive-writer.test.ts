import { expect } from "chai";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ArchiveError, type ArchiveHeader } from "#host/archive/archive-format.ts";
import { ArchiveWriter } from "#host/archive/archive-writer.ts";
import { failureOf } from "../../../support/failure-of.ts";

describe("a new archive", () => {
	let folder: string;
	beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "atelier-archive-writer-"))));
	afterEach(() => rmSync(folder, { recursive: true }));

	const header: ArchiveHeader = { version: 1, kind: "export", release: "test", since: "2026-11-27T00:00:00Z" };

	it("is refused in a folder that does not exist, with the folder's name and without the system's words", async () => {
		const absent = join(folder, "absent");
		const error = await failureOf<Error>(ArchiveWriter.create(join(absent, "a.gz"), header));
		expect(error).to.be.instanceOf(ArchiveError);
		expect(error.message).to.equal(`Cannot write "${join(absent, "a.gz")}": the folder "${absent}" does not exist`);
		expect(readdirSync(folder)).to.deep.equal([]);
	});
});
