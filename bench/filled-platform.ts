/** Starts a platform that has a number of stopped sessions already. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BenchPlatform, platformWithoutPods } from "./platform.ts";
import { Program } from "./program.ts";

export async function filledPlatform(count: number): Promise<BenchPlatform> {
	const folder = mkdtempSync(join(tmpdir(), "atelier-bench-"));
	const dataDir = join(folder, "data");
	{
		await using _filler = await Program.start("./many-sessions.ts", { dataDir, count });
	}
	const opened = await platformWithoutPods({ dataDir });
	return {
		...opened,
		async [Symbol.asyncDispose]() {
			await opened[Symbol.asyncDispose]();
			rmSync(folder, { recursive: true, force: true });
		},
	};
}
