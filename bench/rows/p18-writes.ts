import type { ServerSample } from "../load.ts";
import { platformWithoutPods } from "../platform.ts";
import { Program } from "../program.ts";
import { interleaved, median } from "../rounds.ts";
import type { Measured, Row } from "../row.ts";
import { sessionLoads } from "../sessions/session-loads.ts";

const seconds = 2;
const rounds = 5;
/** Nobody is limited, so that the load is the same. */
const limits = { requests_per_second: 0, in_flight_per_user: 0, in_flight_per_tenant: 0 };
/** The bytes of one session, twice: its document and its event. */
const commitBytes = 2_600;

interface Commits {
	readonly perSecond: number;
	readonly cpuMicros: number;
}

export const p18: Row = {
	id: "P18",
	title: "A usage report, a PUT and a create of a session: processor time, against raw durable SQLite commits",
	async measure(): Promise<Measured> {
		await using opened = await platformWithoutPods({ config: { limits } });
		const load = await sessionLoads(opened, { seconds });
		const samples = await interleaved(
			{
				usage: load.usage,
				put: load.put,
				create: load.create,
				commits: async () => {
					await using program = await Program.start<Commits>("./baselines/sqlite-commits.ts", {
						bytes: commitBytes,
						seconds,
					});
					return program.ready;
				},
			},
			rounds,
		);
		const cpu = (of: readonly ServerSample[]) => median(of.map((sample) => sample.cpuMicrosPerRequest)) / 1_000;
		const commit = median(samples.commits.map(({ cpuMicros }) => cpuMicros)) / 1_000;
		const figures = {
			usage_cpu_ms: cpu(samples.usage),
			put_cpu_ms: cpu(samples.put),
			create_cpu_ms: cpu(samples.create),
			commit_cpu_ms: commit,
			usage_per_commit: cpu(samples.usage) / commit,
			put_per_commit: cpu(samples.put) / commit,
			create_per_commit: cpu(samples.create) / commit,
		};
		return {
			verdicts: [
				{ what: "bare commits, usage report", value: figures.usage_per_commit, compare: "<=", target: 5.5 },
				{ what: "bare commits, PUT", value: figures.put_per_commit, compare: "<=", target: 6.5 },
				{ what: "bare commits, create", value: figures.create_per_commit, compare: "<=", target: 9 },
			],
			figures,
		};
	},
};
