import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { folderMegabytes } from "../../../cli/folder-size.ts";

describe("folderMegabytes()", () => {
	it("counts the blocks of the disk, like du: a thousand small files take more than their bytes", async () => {
		const folder = mkdtempSync(join(tmpdir(), "atelier-folder-size-"));
		try {
			mkdirSync(join(folder, "deep"));
			for (let n = 0; n < 1_000; n++) writeFileSync(join(folder, "deep", String(n)), "x");
			symlinkSync("/", join(folder, "link"));
			const said = execFileSync("du", ["-s", "--block-size=512", folder], { encoding: "utf8" });
			expect(await folderMegabytes(folder)).to.equal(Math.ceil(Number.parseInt(said, 10) / 2_048));
			expect(await folderMegabytes(folder)).to.be.greaterThan(1);
		} finally {
			rmSync(folder, { recursive: true });
		}
	});
});
