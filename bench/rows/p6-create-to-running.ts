import { join } from "node:path";
import { makeRepository } from "../../test/support/repositories/git-repository.ts";
import { eventually } from "../../test/support/eventually.ts";
import { cloneAndSpawn } from "../baselines/clone-and-spawn.ts";
import { wholePlatform } from "../platform.ts";
import { interleaved, median } from "../rounds.ts";
import type { Measured, Row } from "../row.ts";

interface Change {
	readonly id: string;
	readonly status: string;
}

export const p6: Row = {
	id: "P6",
	title: "Create to running, small repository, built-in agent, against git clone --local and a start of the same agent",
	async measure(): Promise<Measured> {
		await using opened = await wholePlatform();
		const { platform } = opened;
		const repository = makeRepository(join(platform.folder, "small"), smallRepository());
		const client = platform.client();
		const events = await platform.events();

		async function createToRunning(): Promise<number> {
			await eventually(() => platform.waitingAgents().length > 0, {
				withinMs: 30_000,
				what: "the platform is at rest",
			});
			const began = performance.now();
			const request = { name: "started", source: { type: "git", repo: `file://${repository}` } };
			const { id } = (await client.post<Change>("/sessions", request)).body;
			await events.event(({ data }) => isRunning(data, id), { withinMs: 60_000, everyMs: 1 });
			const took = performance.now() - began;
			await client.delete(`/sessions/${id}`);
			await eventually(() => platform.sessionProcesses().length === 0, { withinMs: 30_000 });
			return took;
		}

		const { ours, baseline } = await interleaved(
			{ ours: createToRunning, baseline: () => cloneAndSpawn(repository, join(platform.folder, "by-hand")) },
			9,
		);
		await events.close();
		const figures = { ours_ms: median(ours), baseline_ms: median(baseline) };
		const value = figures.ours_ms / figures.baseline_ms;
		return { verdicts: [{ what: "time to running", value, compare: "<=", target: 1.5 }], figures };
	},
};

/** Makes a hundred files in ten folders. */
function smallRepository(): Record<string, string> {
	const files = Array.from({ length: 100 }, (_, n) => [
		`src/part-${n % 10}/file-${n}.ts`,
		`export const n = ${n};\n`.repeat(40),
	]);
	return Object.fromEntries([["README.md", "# Small\n"], ...files]);
}

function isRunning(data: string, id: string): boolean {
	const session = JSON.parse(data) as Change;
	return session.id === id && session.status === "running";
}
