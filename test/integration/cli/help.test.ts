/** Every command of package.json says what it takes, and refuses everything else with a sentence. */
import { expect } from "chai";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";

const manifest: { scripts: Record<string, string> } = JSON.parse(
	readFileSync(join(projectRoot, "package.json"), "utf8"),
);

/** Programs from packages have a help of their own. */
const foreign = ["check", "format", "test:unit"];
const commands = Object.keys(manifest.scripts).filter((name) => !foreign.includes(name));

interface Ended {
	readonly code: number;
	readonly stdout: string;
	readonly stderr: string;
}

/** Runs the script like npm does: in a shell, with the programs of the project before those of the machine. */
function command(name: string, ...words: string[]): Promise<Ended> {
	const path = [join(projectRoot, "node_modules/.bin"), process.env["PATH"]].join(delimiter);
	const script = `${manifest.scripts[name]} "$@"`;
	const options = { cwd: projectRoot, env: { ...process.env, PATH: path }, timeout: 30_000 };
	return new Promise((resolve) => {
		execFile("sh", ["-c", script, "sh", ...words], options, (error, stdout, stderr) =>
			resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
		);
	});
}

describe("the commands of package.json", function () {
	this.timeout(60_000);

	it("are those that are asked here", () => {
		expect(commands).to.include.members(["start", "config", "agents", "bench", "demo", "servers", "test", "test:all"]);
		const own = Object.entries(manifest.scripts).filter(([, script]) => /\bnode |\.sh\b/.test(script));
		expect(own.map(([name]) => name)).to.deep.equal(commands);
	});

	for (const name of commands) {
		it(`npm run ${name} -- --help says what it takes, and does nothing`, async () => {
			const { code, stdout, stderr } = await command(name, "--help");
			expect([code, stderr]).to.deep.equal([0, ""]);
			expect(stdout)
				.to.match(/^Usage: npm (run \S+|start|test)/)
				.and.to.match(/^ {2}--help/m);
		});

		it(`npm run ${name} refuses what it does not take, with a sentence`, async () => {
			const { code, stdout, stderr } = await command(name, "--nonsense");
			expect([code, stdout]).to.deep.equal([2, ""]);
			expect(stderr)
				.to.match(/nonsense.*\nUsage: npm /)
				.and.to.not.include("    at ");
		});
	}

	for (const [name, words, sentence] of [
		["demo", ["one", "two"], 'Unexpected argument "two"'],
		["test:failover", ["--rounds", "many"], 'Option --rounds cannot be "many": it must be a whole number'],
		["test:faults", ["--seed"], "Option '--seed <value>' argument missing"],
		["test:isolation", ["--only", "everything"], 'There is no attack "everything"'],
		["test:agents", ["skynet"], 'There is no coding agent "skynet"'],
		["bench", ["P0"], "There is no row P0"],
		["agents", ["frob"], 'Cannot do "frob"'],
		["servers", ["get", "skynet"], 'There is no program "skynet"'],
		["test", ["test/none.test.ts"], "No test file is called test/none.test.ts"],
		["config", ["--markdown=yes"], "Option '--markdown' does not take an argument"],
	] as const) {
		it(`npm run ${name} -- ${words.join(" ")}: ${sentence}`, async () => {
			const { code, stderr } = await command(name, ...words);
			expect(code, stderr).to.equal(2);
			expect(stderr).to.include(sentence).and.to.not.include("    at ");
		});
	}
});
