/**
 * The size of a folder whose folders the file system does not count any more (ext4, for ever after 65,000), while one of them is renamed.
 * Night: it makes and removes 65,000 folders.
 */
import { expect } from "chai";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countFiles } from "#shared/wire/pod/size/count-files.ts";

const bigBytes = 20_000_000;
const renames =
	"let n = 0; setInterval(() => fs.renameSync(...(++n % 2 ? ['big', 'gib'] : ['gib', 'big'])), 1); console.log('begins')";

describe("the size of a folder whose folders are not counted", function () {
	this.timeout(300_000);
	let root: string;

	before(() => {
		root = mkdtempSync(join(tmpdir(), "atelier-uncounted-"));
		for (let index = 0; index < 65_100; index++) mkdirSync(join(root, `e${index}`));
		for (let index = 1_000; index < 65_100; index++) rmdirSync(join(root, `e${index}`));
		mkdirSync(join(root, "big"));
		writeFileSync(join(root, "big", "file"), Buffer.alloc(bigBytes));
	});
	after(() => rmSync(root, { recursive: true }));

	it("has what is in a folder that is renamed all the time, or says that something changed", async () => {
		const child = spawn(process.execPath, ["-e", renames], { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
		await once(child.stdout, "data");
		const order = { folders: [root], maxEntries: 1_000_000, withinMs: 60_000 };
		const found = Array.from({ length: 10 }, () => countFiles(order));
		child.kill("SIGKILL");
		await once(child, "exit");
		const hidden = found.filter(({ bytes, partial }) => bytes < bigBytes && partial === undefined);
		expect(hidden).to.deep.equal([]);
	});
});
