/** The command line of the archives: nothing is ignored, and each failure names its file. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { runArchive } from "../../support/archive/archive-command.ts";

describe("the commands of archives", function () {
	this.timeout(60_000);
	let folder: string;
	beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "atelier-archive-command-"))));
	afterEach(() => rmSync(folder, { recursive: true }));

	function run(...args: readonly string[]) {
		writeFileSync(join(folder, "config.yaml"), "{}");
		return runArchive({ dataDir: join(folder, "data"), home: folder, config: join(folder, "config.yaml") }, args);
	}

	for (const [command, option] of [
		["backup", "--force"],
		["export", "--check"],
		["restore", "--workspaces"],
		["import", "--passphrase-file=x"],
	] as const)
		it(`refuse an option of another command: ${command} ${option}`, async () => {
			const { code, output } = await run(command, option, join(folder, "x.gz"));
			expect(output).to.include(`The option ${option.replace("=x", "")} belongs to`);
			expect(code).to.equal(2);
		});

	it("name the file that cannot be read or written", async () => {
		const absent = join(folder, "absent");
		const passphrase = await run("backup", "--passphrase-file", absent, join(folder, "x.gz"));
		expect(passphrase.output).to.include(`Cannot read the passphrase in "${absent}"`);
		const file = join(absent, "x.gz");
		expect((await run("restore", file)).output).to.include(`"${file}"`);
	});
});
