/** A start finds in the data folder what an earlier one compiled. */
import { expect } from "chai";
import { spawnSync } from "node:child_process";
import { chownSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { runningSession } from "../../support/platform/session-steps.ts";
import { startPlatform } from "../../support/platform/start-platform.ts";
import { useFolder } from "../../support/use-folder.ts";

/** Is loaded before the platform, and prints at its end whether Node has loaded the library that strips types. */
const probe = `data:text/javascript,
process.on("exit", () => console.log("stripped types:", process.moduleLoadList.some((name) => name.includes("amaro"))));`;

describe("the compile cache of the platform", function () {
	this.timeout(120_000);
	const folder = useFolder();

	/** Starts a platform with a session, ends both in order, and returns the platform's output. */
	async function outputOfRun(dataDir: string): Promise<string> {
		const config = { pods: { on_exit: "stop" } };
		const env = { NODE_OPTIONS: `--import "${probe.replaceAll("\n", "").replaceAll('"', "'")}"` };
		await using platform = await startPlatform({ dataDir, config, env, processes: [[]] });
		await runningSession(platform.client());
		await platform.stop();
		return platform.output;
	}

	/** Returns the inode of each file of the cache; a file that is written again has another one. */
	function filesOfCache(dataDir: string): Record<string, number> {
		const cache = join(dataDir, "cache/platform");
		const files = readdirSync(cache, { recursive: true, encoding: "utf8" });
		return Object.fromEntries(files.map((file) => [file, statSync(join(cache, file)).ino]));
	}

	it("leaves no types to strip to a start after another one that ended in order", async () => {
		const dataDir = join(folder(), "data");
		mkdirSync(dataDir, { mode: 0o700 });
		expect(await outputOfRun(dataDir), "control: the first start").to.include("stripped types: true");
		const files = filesOfCache(dataDir);
		expect(await outputOfRun(dataDir)).to.include("stripped types: false");
		expect(filesOfCache(dataDir), "nothing is compiled again").to.include(files);
	});

	it("leaves no file of root in the data folder of another user", function () {
		if (process.geteuid?.() !== 0) return this.skip();
		const dataDir = join(folder(), "of-nobody");
		mkdirSync(dataDir, { mode: 0o700 });
		chownSync(dataDir, 65_534, 65_534);
		const env = { PATH: process.env["PATH"], HOME: folder(), DATA_DIR: dataDir };
		const { stderr } = spawnSync(process.execPath, ["host/main.js"], { cwd: projectRoot, env, encoding: "utf8" });
		expect(stderr).to.include("as root: it belongs to");
		expect(readdirSync(dataDir)).to.deep.equal([]);
	});
});
