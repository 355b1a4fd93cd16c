import { expect } from "chai";
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathIn } from "#services/pod-manager/pod-runtimes/machine/folder-entries.ts";
import { FolderSizes } from "#shared/wire/pod/size/folder-size.ts";
import { Trash } from "#services/pod-manager/pod-runtimes/machine/trash.ts";
import { eventually } from "../../../../../support/eventually.ts";
import { isMounted, unmount } from "../../../../../support/machine/mounted-folder.ts";
import { folderForAll, nobody } from "../../../../../support/machine/ordinary-user.ts";

function latin1(name: string): Buffer {
	return Buffer.from(name, "latin1");
}

/** Runs work without the rights of the administrator, for whom modes do not count. */
async function asUser<T>(user: number, work: () => Promise<T>): Promise<T> {
	process.seteuid?.(user);
	try {
		return await work();
	} finally {
		process.seteuid?.(0);
	}
}

describe("Trash", () => {
	let root: string;
	let trash: Trash;

	beforeEach(() => {
		root = folderForAll("trash");
		trash = new Trash(join(root, ".trash"));
	});
	afterEach(() => rmSync(root, { recursive: true, force: true }));

	it("moves a folder to the trash at once and removes it, with read-only parts", async () => {
		const folder = join(root, "thing");
		mkdirSync(join(folder, "cache"), { recursive: true });
		writeFileSync(join(folder, "cache", "file"), "x");
		chmodSync(join(folder, "cache"), 0o500);
		await trash.discard(folder);
		expect(existsSync(folder)).to.equal(false);
		await eventually(() => readdirSync(root).length === 0);
	});

	it("accepts folders of one name one after the other, and a missing one", async () => {
		for (let round = 0; round < 3; round++) {
			mkdirSync(join(root, "thing"));
			await trash.discard(join(root, "thing"));
		}
		await trash.discard(join(root, "thing"));
		await eventually(() => readdirSync(root).length === 0);
	});

	it("overlooks nothing while another process empties the same trash", async () => {
		const other = new Trash(join(root, ".trash"));
		let isOver = false;
		const emptying = (async () => {
			while (!isOver) await other.empty();
		})();
		try {
			for (let round = 0; round < 300; round++) {
				mkdirSync(join(root, "thing"));
				await trash.discard(join(root, "thing"));
				expect(existsSync(join(root, "thing"))).to.equal(false);
			}
		} finally {
			isOver = true;
			await emptying;
		}
		await eventually(() => readdirSync(root).length === 0);
	});

	it("removes files and folders whose names are not UTF-8 (X5)", async () => {
		const folder = join(root, "thing");
		for (const name of [latin1("caf\xe9"), latin1("caf\xe9/inner\xff")])
			mkdirSync(pathIn(folder, name), { recursive: true });
		writeFileSync(pathIn(folder, latin1("caf\xe9/inner\xff/big\xfe")), Buffer.alloc(200_000));
		const terms = { signal: AbortSignal.timeout(10_000) };
		const sizes = new FolderSizes();
		expect((await sizes.of([folder], terms)).bytes).to.be.above(200_000);
		sizes.close();
		await trash.discard(folder);
		await eventually(() => readdirSync(root).length === 0);
		expect(trash.trouble).to.equal(undefined);
	});

	it("moves a folder that its owner may not change, and names a failure without what changes (X6)", async function () {
		if (process.getuid?.() !== 0) return this.skip();
		const folder = join(root, "thing");
		mkdirSync(folder);
		writeFileSync(join(folder, "kept"), "x");
		chmodSync(folder, 0o500);
		for (const path of [root, folder, join(folder, "kept")]) chownSync(path, nobody, nobody);
		await asUser(nobody, () => trash.discard(folder));
		expect(existsSync(folder)).to.equal(false);
		await trash.empty();
		mkdirSync(join(root, "closed", "inner"), { recursive: true });
		const failures: string[] = [];
		for (let n = 0; n < 2; n++)
			await asUser(nobody, () => trash.discard(join(root, "closed", "inner"))).catch((e: Error) =>
				failures.push(e.message),
			);
		expect(failures).to.deep.equal(Array.from({ length: 2 }, () => failures[0]));
		expect(failures[0]).to.include("closed/inner").and.to.include("EACCES");
	});

	it("says what it cannot remove and why, and tries it three times only (where it may mount) (L5)", async function () {
		const inUse = join(root, ".trash", "thing-0badcafe", "mounted");
		mkdirSync(inUse, { recursive: true });
		if (!isMounted(inUse)) return this.skip();
		try {
			for (let round = 0; round < 5; round++) {
				await trash.empty();
				expect(trash.trouble).to.match(/^Cannot remove 1 folder\(s\) in ".*", "thing-0badcafe" among them: EBUSY/);
			}
			expect(existsSync(inUse)).to.equal(true);
		} finally {
			unmount(inUse);
		}
		await trash.empty();
		expect(existsSync(inUse), "it is tried again").to.equal(true);
		await new Trash(join(root, ".trash")).empty();
		expect(readdirSync(root)).to.deep.equal([]);
	});

	it("does not report what could be removed later (if it may mount) (L5)", async function () {
		const inUse = join(root, ".trash", "thing-0badcafe", "mounted");
		mkdirSync(inUse, { recursive: true });
		if (!isMounted(inUse)) return this.skip();
		try {
			await trash.empty();
			expect(trash.trouble).to.be.a("string");
		} finally {
			unmount(inUse);
		}
		await trash.empty();
		expect(trash.trouble).to.equal(undefined);
		expect(readdirSync(root)).to.deep.equal([]);
	});

	it("removes folders that are too deep for a path, and read-only ones in them (L5)", async () => {
		const deep = join(root, "thing");
		mkdirSync(deep);
		const name = "n".repeat(200);
		// The path has some 8,000 bytes; the system accepts 4,096.
		const script = `for (let depth = 0; depth < 40; depth++) {
			fs.mkdirSync("${name}");
			process.chdir("${name}");
		}
		fs.writeFileSync("f", "");
		for (const folder of [".", ".."]) fs.chmodSync(folder, 0o500);`;
		execFileSync(process.execPath, ["-e", script], { cwd: deep });
		await trash.discard(deep);
		await eventually(() => readdirSync(root).length === 0);
	});

	it("has one file operation under way at a time, for any number of files (H3)", async () => {
		const folder = join(root, "thing");
		mkdirSync(folder);
		for (let count = 0; count < 1_500; count++) writeFileSync(join(folder, String(count)), "");
		const most = { atOnce: 0 };
		await trash.discard(folder);
		await eventually(
			() => {
				const files = process.getActiveResourcesInfo().filter((resource) => resource.startsWith("FSReq"));
				most.atOnce = Math.max(most.atOnce, files.length);
				return readdirSync(root).length === 0;
			},
			{ withinMs: 25_000, everyMs: 1 },
		);
		// The next look may begin before the last one is forgotten.
		expect(most.atOnce).to.be.below(10);
	});

	it("stops when it is asked to, and the next process continues", async () => {
		mkdirSync(join(root, ".trash", "thing-0badcafe", "deep"), { recursive: true });
		await trash.empty(AbortSignal.abort());
		expect(readdirSync(join(root, ".trash"))).to.deep.equal(["thing-0badcafe"]);
		await new Trash(join(root, ".trash")).empty();
		expect(readdirSync(root)).to.deep.equal([]);
	});

	it("completes what a killed process began", async () => {
		mkdirSync(join(root, ".trash", "thing-0badcafe", "deep"), { recursive: true });
		await trash.empty();
		expect(readdirSync(root)).to.deep.equal([]);
	});
});
