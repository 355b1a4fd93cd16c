/** The program that reads the platform's output may die. */
import { expect } from "chai";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { projectRoot } from "#shared/base/project-root.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/machine/free-port.ts";
import { useFolder } from "../../support/use-folder.ts";

describe("a platform whose output nobody reads any more", function () {
	this.timeout(120_000);
	const folder = useFolder();

	it("goes on although its output is closed, and ends in order", async () => {
		const port = await freePort();
		const env = { PATH: process.env["PATH"], PORT: String(port), DATA_DIR: folder(), BUS__LOG_LEVEL: "debug" };
		const stdio = ["ignore", "pipe", "pipe"] as const;
		const platform = spawn(process.execPath, ["host/main.js"], { cwd: projectRoot, env, stdio: [...stdio] });
		const ended = once(platform, "exit");
		try {
			// The first of many lines has arrived.
			await once(platform.stdout, "data");
			platform.stdout.destroy();
			platform.stderr.destroy();
			const isReady = async () => (await fetch(`http://127.0.0.1:${port}/ready`)).ok;
			await eventually(async () => platform.exitCode !== null || (await isReady()), { withinMs: 60_000 });
			platform.kill("SIGTERM");
			expect(await ended).to.deep.equal([0, null]);
		} finally {
			platform.kill("SIGKILL");
			await ended;
		}
	});
});
