import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { fileEntry } from "#shared/base/files/file-entry.ts";
import { walkFolder } from "#shared/base/files/folder-walk.ts";

describe("walkFolder()", () => {
	let folder: string;

	beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "atelier-walk-"))));
	afterEach(() => rmSync(folder, { recursive: true }));

	/** Returns the kinds of the entries by their paths. */
	async function kinds(skips?: RegExp): Promise<Record<string, string>> {
		const found: Record<string, string> = {};
		for await (const entry of walkFolder(folder, skips)) {
			if (entry.kind === "left") found[entry.path] = entry.isBound ? "too large" : "left";
			else {
				expect(fileEntry(entry)).to.equal(entry);
				found[entry.path] ??= entry.kind;
			}
		}
		return found;
	}

	it("returns folders before their content, in the order of their names, and a large file in parts", async () => {
		mkdirSync(join(folder, "b"));
		writeFileSync(join(folder, "b", "inner"), "x");
		writeFileSync(join(folder, "a"), Buffer.alloc(400_000, 7));
		const entries = await Array.fromAsync(walkFolder(folder));
		expect(entries.map(({ path, kind }) => [path, kind])).to.deep.equal([
			["a", "file"],
			["a", "more"],
			["a", "more"],
			["b", "folder"],
			["b/inner", "file"],
		]);
		const data = entries.map((entry) => ("data" in entry && entry.path === "a" ? entry.data : ""));
		expect(Buffer.concat(data.map((part) => Buffer.from(part, "base64")))).to.deep.equal(Buffer.alloc(400_000, 7));
	});

	it("leaves out files of holes that would fill the disk of the one who restores them, and keeps the others", async () => {
		for (const name of ["1-holes", "3-holes"]) {
			writeFileSync(join(folder, name), "");
			truncateSync(join(folder, name), 2 ** 40);
		}
		writeFileSync(join(folder, "2-plain"), "plain");
		writeFileSync(join(folder, "4-small"), "");
		truncateSync(join(folder, "4-small"), 2 ** 20);
		expect(await kinds()).to.deep.equal({
			"1-holes": "too large",
			"2-plain": "file",
			"3-holes": "too large",
			"4-small": "file",
		});
	});

	it("follows no link, waits for no pipe, and names what is no file", async () => {
		symlinkSync("/etc", join(folder, "link"));
		execFileSync("mkfifo", [join(folder, "pipe")]);
		mkdirSync(join(folder, "skipped"));
		expect(await kinds(/^skipped/)).to.deep.equal({ link: "link", pipe: "left" });
	});

	it("tells a folder that is none", async () => {
		symlinkSync("/etc", join(folder, "link"));
		const [one, ...others] = await Array.fromAsync(walkFolder(join(folder, "link")));
		expect([one, others]).to.deep.equal([{ kind: "left", path: "", isBound: false }, []]);
	});
});
