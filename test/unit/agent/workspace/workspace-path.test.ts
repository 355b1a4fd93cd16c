import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { folderBelow, isFreeOfLinks } from "#agent/workspace/workspace-path.ts";

describe("folderBelow()", () => {
	let workspace: string;
	beforeEach(() => (workspace = mkdtempSync(join(tmpdir(), "atelier-paths-"))));
	afterEach(() => rmSync(workspace, { recursive: true }));

	it("finds a folder inside", async () => {
		mkdirSync(join(workspace, "packages/api"), { recursive: true });
		expect(await folderBelow(workspace, "packages/api/")).to.equal(join(workspace, "packages/api"));
	});

	it("returns the workspace for an empty path", async () =>
		expect(await folderBelow(workspace, "")).to.equal(workspace));

	it("refuses a file, a missing folder and a link that leads out", async () => {
		writeFileSync(join(workspace, "file"), "");
		symlinkSync("/", join(workspace, "out"));
		for (const path of ["file", "missing", "out", "out/tmp"]) {
			expect(await folderBelow(workspace, path), path).to.equal(undefined);
		}
	});
});

describe("isFreeOfLinks()", () => {
	it("detects a link anywhere on the path", async () => {
		const workspace = mkdtempSync(join(tmpdir(), "atelier-paths-"));
		try {
			symlinkSync("/tmp", join(workspace, "out"));
			expect(await isFreeOfLinks(workspace, "out/repo")).to.equal(false);
			expect(await isFreeOfLinks(workspace, "new/repo")).to.equal(true);
		} finally {
			rmSync(workspace, { recursive: true });
		}
	});
});
