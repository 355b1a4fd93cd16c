import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { projectRoot } from "#shared/base/project-root.ts";
import { startPlatform } from "../../test/support/platform/start-platform.ts";
import { interleaved, median } from "../rounds.ts";
import type { Measured, Row } from "../row.ts";

const run = promisify(execFile);

export const p12: Row = {
	id: "P12",
	title: "Start of the platform until /ready, against the start of an empty Moleculer broker",
	async measure(): Promise<Measured> {
		// The platform has run in this folder before, and has ended in order; the very first start is a separate figure.
		const dataDir = mkdtempSync(join(tmpdir(), "atelier-bench-"));
		async function ours(): Promise<number> {
			const began = performance.now();
			await using platform = await startPlatform({ dataDir });
			const took = performance.now() - began;
			await platform.stop();
			return took;
		}
		const first = await ours();

		async function baseline(): Promise<number> {
			const began = performance.now();
			await run(process.execPath, [join(projectRoot, "bench", "baselines", "empty-broker.ts")]);
			return performance.now() - began;
		}

		const samples = await interleaved({ ours, baseline }, 7);
		rmSync(dataDir, { recursive: true });
		const figures = { first_ms: first, ours_ms: median(samples.ours), baseline_ms: median(samples.baseline) };
		const value = figures.ours_ms / figures.baseline_ms;
		return { verdicts: [{ what: "time to ready", value, compare: "<=", target: 3 }], figures };
	},
};
