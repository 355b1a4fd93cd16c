/**
 * `npm run agents` with a fake npm that downloads nothing.
 * Long: it runs the command for each of its mistakes and interruptions.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
	chmodSync,
	chownSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect } from "chai";
import { projectRoot } from "#shared/base/project-root.ts";
import { isRoot, nobody } from "../../support/machine/ordinary-user.ts";
import { eventually } from "../../support/eventually.ts";
import { type AgentsRun, runAgents } from "../../support/agents/install-agents.ts";

/**
 * Writes the files of npm as `FAKE_NPM` says: `whole`, `half`, `other`, `empty`, `slow` (after 4 s), or `endless`.
 */
const fakeNpm = `#!${process.execPath}
const fs = require("node:fs");
const args = process.argv.slice(2);
const how = process.env.FAKE_NPM;
const folder = args[args.indexOf("--prefix") + 1];
fs.writeFileSync(process.env.FAKE_NPM_SEEN, args.join(" "));
const lock = JSON.parse(fs.readFileSync(folder + "/package-lock.json", "utf8"));
delete lock.packages[""];
const bundle = folder + "/node_modules/@google/gemini-cli/bundle";
fs.mkdirSync(bundle, { recursive: true });
if (how === "endless") setInterval(() => {}, 1000);
else if (how === "half") { console.error("npm error ENOSPC no space left"); process.exit(28); }
else {
	if (how === "other") Object.values(lock.packages)[0].integrity = "sha512-another";
	fs.writeFileSync(folder + "/node_modules/.package-lock.json", JSON.stringify(lock));
	if (how === "slow") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4000);
	if (how !== "empty") fs.writeFileSync(bundle + "/gemini.js", "x".repeat(3 * 1048576));
}
`;

describe("npm run agents", function () {
	this.timeout(90_000);
	let folder: string;
	let path: string;

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-agents-command-"));
		mkdirSync(join(folder, "bin"));
		writeFileSync(join(folder, "bin", "npm"), fakeNpm);
		chmodSync(join(folder, "bin", "npm"), 0o755);
		path = [join(folder, "bin"), process.env["PATH"]].join(delimiter);
	});

	afterEach(() => rmSync(folder, { recursive: true }));

	const environment = (how: string): Record<string, string> => ({
		PATH: path,
		DATA_DIR: join(folder, "data"),
		FAKE_NPM: how,
		FAKE_NPM_SEEN: join(folder, "seen"),
		GEMINI_API_KEY: "key",
	});
	const agents = (how: string, ...args: string[]): Promise<AgentsRun> => runAgents(args, environment(how));
	const left = (): string[] => readdirSync(join(folder, "data", "agents"));
	const entry = (): string => join(folder, "data/agents/gemini/node_modules/@google/gemini-cli/bundle/gemini.js");

	it("lists every agent with its version, licence, size and whether it is installed", async () => {
		const { said, code } = await agents("whole", "list");
		expect(code).to.equal(0);
		expect(said).to.match(/^builtin .* comes with the platform$/m);
		expect(said).to.match(/^gemini +0\.61\.0 +Apache-2\.0 +100 MB +1024 MB +yes +not installed$/m);
		await agents("whole", "install", "gemini");
		expect((await agents("whole")).said).to.match(/^gemini .* 4 MB +1024 MB +yes +installed$/m);
	});

	it("warns before anything is downloaded when no model that the agent can use has its key, and installs it all the same", async () => {
		const without = { ...environment("whole"), GEMINI_API_KEY: "" };
		const { said, code } = await runAgents(["install", "gemini"], without);
		const warning =
			'Warning: The coding agent "gemini" can use no model now: set GEMINI_API_KEY where the platform is started';
		expect(said.split("\n").slice(0, 2)).to.satisfy(([first = "", second = ""]) => {
			return first === warning && second.startsWith("Installing gemini ");
		});
		expect([code, left()]).to.deep.equal([0, ["gemini"]]);
		expect((await runAgents(["install", "gemini"], { ...without, GEMINI_API_KEY: "k" })).said).to.match(/^gemini 0/);
		const catalogue = join(folder, "models.yaml");
		writeFileSync(catalogue, "price_version: test\n");
		expect((await runAgents(["install", "gemini"], { ...without, MODELS__FILE: catalogue })).said).to.match(
			/^Warning: The coding agent "gemini" can use no model now: the catalogue has none that speaks gemini$/m,
		);
	});

	it("installs one, without its install scripts, and says how large it is before and after", async () => {
		const { said, code } = await agents("whole", "install", "gemini");
		expect(code, said).to.equal(0);
		expect(said).to.match(
			/^Installing gemini 0\.61\.0 \(npm package @google\/gemini-cli, Apache-2\.0\): about 100 MB in /,
		);
		expect(said).to.match(/^Installed gemini 0\.61\.0 in \d+\.\d s: 4 MB$/m);
		expect(readFileSync(join(folder, "seen"), "utf8"))
			.to.include("--ignore-scripts")
			.and.to.not.include("--no-ignore");
		expect([left(), existsSync(entry())]).to.deep.equal([["gemini"], true]);
	});

	it("refuses a data folder that is another user's, or that it cannot write, before npm is asked", async () => {
		mkdirSync(join(folder, "data/agents"), { recursive: true });
		if (isRoot) chownSync(join(folder, "data"), nobody, nobody);
		else chmodSync(join(folder, "data/agents"), 0o500);
		const { said, code } = await agents("whole", "install", "gemini");
		chmodSync(join(folder, "data/agents"), 0o700);
		expect(code, said).to.equal(1);
		expect(said)
			.to.match(/^Cannot use the data folder ".*data"/)
			.and.to.not.include("    at ");
		expect(existsSync(join(folder, "seen")), "npm was not asked").to.equal(false);
	});

	it("shows how far it is while npm works", async () => {
		const { said, code } = await agents("slow", "install", "gemini");
		expect(code, said).to.equal(0);
		expect(said).to.match(/^ {2}\d+ of about 100 MB$/m);
	});

	it("does nothing the second time, and installs again what has lost its program", async () => {
		await agents("whole", "install", "gemini");
		rmSync(join(folder, "seen"));
		const { said } = await agents("half", "install", "gemini");
		expect(said).to.match(/^gemini 0\.61\.0 is installed already: 4 MB in /);
		expect(existsSync(join(folder, "seen")), "npm was not asked").to.equal(false);
		rmSync(entry());
		expect((await agents("whole", "install", "gemini")).said).to.include("Installed gemini");
		expect([left(), existsSync(entry())]).to.deep.equal([["gemini"], true]);
	});

	const failures: [how: string, words: RegExp][] = [
		["half", /^Cannot install gemini: npm ended with 28\nnpm error ENOSPC no space left$/m],
		["other", /^Cannot install gemini: npm did not follow package-lock\.json: "node_modules\/.*" is .*sha512-another/m],
		["empty", /^Cannot install gemini: there is no "node_modules\/@google\/gemini-cli\/bundle\/gemini\.js" in it$/m],
	];
	for (const [how, words] of failures) {
		it(`leaves nothing, and what was there before, when the installation is ${how}`, async () => {
			const { said, code } = await agents(how, "install", "gemini");
			expect([code, left()]).to.deep.equal([1, []]);
			expect(said).to.match(words);
			await agents("whole", "install", "gemini");
			rmSync(entry());
			expect((await agents(how, "install", "gemini")).code).to.equal(1);
			expect(left()).to.deep.equal(["gemini"]);
		});
	}

	it("says so when npm is missing", async () => {
		const { said, code } = await runAgents(["install", "gemini"], {
			...environment("whole"),
			PATH: join(folder, "none"),
		});
		expect([code, left()]).to.deep.equal([1, []]);
		expect(said).to.match(/^Cannot install gemini: npm is not on the PATH$/m);
	});

	describe("that is ended in the middle", () => {
		let child: ChildProcess;

		beforeEach(async () => {
			const env = { ...process.env, ...environment("endless") };
			child = spawn(process.execPath, ["cli/agents.ts", "install", "gemini"], {
				cwd: projectRoot,
				env,
				stdio: "ignore",
				detached: true,
			});
			await eventually(() => existsSync(join(folder, "seen")), { withinMs: 15_000 });
		});

		it("removes the partial installation when it is asked to end", async () => {
			child.kill("SIGINT");
			expect(await once(child, "exit")).to.deep.equal([1, null]);
			expect(left()).to.deep.equal([]);
		});

		it("leaves no installation when it is killed, and the next one cleans up", async () => {
			// The kill includes everything that it has started.
			process.kill(-(child.pid ?? Number.NaN), "SIGKILL");
			await once(child, "exit");
			expect(left()).to.have.lengthOf(1);
			expect((await agents("whole", "list")).said).to.match(/^gemini .*not installed$/m);
			expect((await agents("whole", "remove", "gemini")).code).to.equal(1);
			await agents("whole", "install", "gemini");
			expect(left()).to.deep.equal(["gemini"]);
		});
	});

	it("installs the same one twice at a time", async () => {
		const runs = await Promise.all([1, 2].map(() => agents("whole", "install", "gemini")));
		expect(
			runs.map(({ code }) => code),
			runs.map(({ said }) => said).join("\n"),
		).to.deep.equal([0, 0]);
		expect([left(), existsSync(entry())]).to.deep.equal([["gemini"], true]);
	});

	it("removes one, and says how much space that frees", async () => {
		await agents("whole", "install", "gemini");
		expect(await agents("whole", "remove", "gemini")).to.deep.equal({
			said: "Removed gemini: 4 MB are free again\n",
			code: 0,
		});
		expect(left()).to.deep.equal([]);
		const { said, code } = await agents("whole", "remove", "gemini");
		expect([said, code]).to.deep.equal(['The coding agent "gemini" is not installed\n', 1]);
	});

	it("names the words that it does not understand", async () => {
		expect((await agents("whole", "install", "skynet")).said).to.match(
			/^There is no coding agent "skynet"; known: builtin, /,
		);
		expect((await agents("whole", "install", "builtin")).said).to.include('"builtin" comes with the platform');
		for (const args of [["frob", "gemini"], ["install"], ["list", "gemini"]]) {
			expect((await agents("whole", ...args)).code, args.join(" ")).to.equal(2);
		}
	});
});
