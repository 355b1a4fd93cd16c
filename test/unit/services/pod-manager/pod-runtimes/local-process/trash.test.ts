import { expect } from "chai";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Trash } from "#services/pod-manager/pod-runtimes/local-process/trash.ts";
import { eventually } from "../../../../../support/eventually.ts";

describe("Trash", () => {
	let root: string;
	let trash: Trash;

	beforeEach(() => {
		root = mkdtempSync(join(tmpdir(), "atelier-trash-"));
		trash = new Trash(join(root, ".trash"));
	});
	afterEach(() => rmSync(root, { recursive: true, force: true }));

	it("puts a folder out of sight at once and removes it, read-only parts too", async () => {
		const folder = join(root, "thing");
		mkdirSync(join(folder, "cache"), { recursive: true });
		writeFileSync(join(folder, "cache", "file"), "x");
		chmodSync(join(folder, "cache"), 0o500);
		await trash.discard(folder);
		expect(existsSync(folder)).to.equal(false);
		await eventually(() => readdirSync(root).length === 0);
	});

	it("takes folders of one name one after the other, and one that is not there", async () => {
		for (let round = 0; round < 3; round++) {
			mkdirSync(join(root, "thing"));
			await trash.discard(join(root, "thing"));
		}
		await trash.discard(join(root, "thing"));
		await eventually(() => readdirSync(root).length === 0);
	});

	it("loses sight of nothing while another process empties the same trash", async () => {
		const other = new Trash(join(root, ".trash"));
		let isOver = false;
		const emptying = (async () => {
			while (!isOver) await other.empty();
		})();
		for (let round = 0; round < 300; round++) {
			mkdirSync(join(root, "thing"));
			await trash.discard(join(root, "thing"));
			expect(existsSync(join(root, "thing"))).to.equal(false);
		}
		isOver = true;
		await emptying;
		await eventually(() => readdirSync(root).length === 0);
	});

	it("finishes what a killed process began", async () => {
		mkdirSync(join(root, ".trash", "thing-0badcafe", "deep"), { recursive: true });
		await trash.empty();
		expect(readdirSync(root)).to.deep.equal([]);
	});
});
