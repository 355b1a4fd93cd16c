/** A start finds in the data folder what an earlier one compiled. */
import { expect } from "chai";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { startPlatform } from "../../support/platform/start-platform.ts";
import { useFolder } from "../../support/use-folder.ts";

/** Is loaded before the platform, and prints at its end whether Node has loaded the library that strips types. */
const probe = `data:text/javascript,
process.on("exit", () => console.log("stripped types:", process.moduleLoadList.some((name) => name.includes("amaro"))));`;

describe("the compile cache of the platform", function () {
	this.timeout(120_000);
	const folder = useFolder();

	/** Starts a platform, ends it in order, and returns its output. */
	async function outputOfRun(dataDir: string): Promise<string> {
		const env = { NODE_OPTIONS: `--import "${probe.replaceAll("\n", "").replaceAll('"', "'")}"` };
		await using platform = await startPlatform({ dataDir, env, processes: [[]] });
		await platform.stop();
		return platform.output;
	}

	it("leaves no types to strip to a start after another one that ended in order", async () => {
		const dataDir = join(folder(), "data");
		mkdirSync(dataDir, { mode: 0o700 });
		expect(await outputOfRun(dataDir), "control: the first start").to.include("stripped types: true");
		expect(await outputOfRun(dataDir)).to.include("stripped types: false");
	});
});
