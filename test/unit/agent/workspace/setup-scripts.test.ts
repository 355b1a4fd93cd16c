import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { LaunchFailure } from "#agent/io/launch-failure.ts";
import { LogBuffer } from "#shared/wire/pod/log/log-buffer.ts";
import { runSetupScripts } from "#agent/workspace/setup-scripts.ts";
import { failureOf } from "../../../support/failure-of.ts";

describe("runSetupScripts()", () => {
	let folder: string;

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "atelier-setup-"));
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	function run(scripts: readonly string[], limitMs: number): Promise<void> {
		const env = { PATH: process.env["PATH"] ?? "", HOME: folder };
		const { signal } = new AbortController();
		return runSetupScripts(scripts, { workspace: folder, env, log: new LogBuffer([]), signal, limitMs });
	}

	it("ends scripts that take longer together than the launch allows, and names the key that raises it", async () => {
		const failure = await failureOf<LaunchFailure>(run(["true", "sleep 600"], 2_000));
		expect(failure).to.include({ code: "SETUP_FAILED" });
		expect(failure.message).to.equal(
			"Setup script 2 did not end; all scripts together have 2 s, and the operator can raise this with pods.setup_minutes",
		);
	}).timeout(30_000);
});
