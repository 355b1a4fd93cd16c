/** The modules that the image of sessions has compiled (Dockerfile), without an engine. */
import { expect } from "chai";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";

describe("the compiled modules of the image of sessions", function () {
	this.timeout(60_000);

	it("are all of the agent's program, and none of its programs begins to work", () => {
		const cache = mkdtempSync(join(tmpdir(), "atelier-compiled-"));
		const words = [join(projectRoot, "config/session-image/load-agent.ts"), projectRoot];
		const env = { PATH: process.env["PATH"], NODE_COMPILE_CACHE: cache };
		const { status, stderr } = spawnSync(process.execPath, words, { encoding: "utf8", env });
		expect([status, stderr]).to.deep.equal([0, ""]);
		expect(readdirSync(cache, { recursive: true }).length).to.be.greaterThan(200);
		rmSync(cache, { recursive: true });
	});
});
