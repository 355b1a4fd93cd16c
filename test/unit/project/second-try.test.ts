import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect } from "chai";
import { projectRoot } from "#shared/base/project-root.ts";

interface Run {
	code: number;
	output: string;
}

function npmTest(file: string): Promise<Run> {
	const program = join(projectRoot, "test/main.ts");
	return new Promise((resolve) => {
		const env = { ...process.env, ATELIER_SECOND_TRIES: join(dirname(file), "second-tries.txt") };
		execFile(process.execPath, [program, file], { cwd: projectRoot, env }, (error, output) => {
			resolve({ code: error === null ? 0 : Number(error.code), output });
		});
	});
}

describe("A test file that failed is run once more, alone", () => {
	let folder: string;

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-second-try-"));
		writeFileSync(join(folder, "second-tries.txt"), "");
	});
	afterEach(() => rmSync(folder, { recursive: true, force: true }));

	function testFile(body: string): string {
		const file = join(folder, "a.test.ts");
		writeFileSync(file, `import { existsSync, writeFileSync } from "node:fs";\nit("is asked", () => {${body}});\n`);
		return file;
	}

	/** Returns a test file that fails once. */
	function failingOnce(): string {
		const seen = JSON.stringify(join(folder, "seen"));
		return testFile(`if (!existsSync(${seen})) { writeFileSync(${seen}, ""); throw new Error("once only"); }`);
	}

	it("passes when it passes then, and is named with its first output", async () => {
		const file = failingOnce();
		const { code, output } = await npmTest(file);
		expect(code).to.equal(0);
		expect(output).to.match(new RegExp(`To be added to test/second-tries.txt: \\d{4}-\\d\\d-\\d\\d ${file}\n`));
		expect(output).to.match(/ 1 passing .*\n {2}0 pending\n {2}0 failing\n$/);
		expect(output.split("PASSED AT THE SECOND TRY ONLY: ")[1]).to.include("once only");
	});

	it("fails when it has needed a second try before", async () => {
		const file = failingOnce();
		writeFileSync(join(folder, "second-tries.txt"), `# Of this test.\n2026-01-31 ${file}\n`);
		const { code, output } = await npmTest(file);
		expect(code).to.equal(1);
		expect(output).to.match(/ 0 passing .*\n {2}0 pending\n {2}1 failing\n$/);
		expect(output).to.include(`FAILED: ${file} needed a second try on 2026-01-31, too: it has a race`);
	});

	it("fails when it fails again, and is counted once", async () => {
		const { code, output } = await npmTest(testFile(`throw new Error("always");`));
		expect(code).to.equal(1);
		expect(output).to.match(/ 0 passing .*\n {2}0 pending\n {2}1 failing\n$/);
		expect(output).to.not.include("SECOND TRY");
	});
});
