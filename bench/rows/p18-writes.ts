import type { TestPlatform } from "../../test/support/platform/start-platform.ts";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import { loadServer, type ServerSample } from "../load.ts";
import { type BenchPlatform, platformWithoutPods } from "../platform.ts";
import { Program } from "../program.ts";
import { interleaved, median } from "../rounds.ts";
import type { Measured, Row } from "../row.ts";

const seconds = 2;
const connections = 16;
const rounds = 5;
/** Nobody is limited, so that the load is the same. */
const limits = { requests_per_second: 0, in_flight_per_user: 0, in_flight_per_tenant: 0 };
const json = { "content-type": "application/json" };
/** The count of changed sessions: writes of different sessions are committed together. */
const sessions = 32;
/** The bytes of one session, twice: its document and its event. */
const commitBytes = 2_600;

interface Commits {
	readonly perSecond: number;
	readonly cpuMicros: number;
}

export const p18: Row = {
	id: "P18",
	title: "A usage report, a PUT and a create of a session: processor time, and against raw durable SQLite commits",
	async measure(): Promise<Measured> {
		await using opened = await platformWithoutPods({ config: { limits } });
		const load = await loadOf(opened);
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
				{ what: "ms of processor time, usage report", value: figures.usage_cpu_ms, compare: "<=", target: 0.5 },
				{ what: "ms of processor time, PUT", value: figures.put_cpu_ms, compare: "<=", target: 0.3 },
				{ what: "ms of processor time, create", value: figures.create_cpu_ms, compare: "<=", target: 0.3 },
			],
			figures,
		};
	},
};

/** Makes the sessions and returns the three loads on them. */
async function loadOf({ platform, pid }: BenchPlatform) {
	const paths = await Promise.all(Array.from({ length: sessions }, () => createdPath(platform)));
	const [own = ""] = paths;
	const id = own.split("/").at(-1) ?? "";
	const pod = `Bearer ${openInstallationKey(platform.dataDir, "").podToken(id, 1)}`;
	const url = `${platform.prefix}/sessions`;
	const order = { url, seconds, connections, headers: json };
	const report = { tokens: 1_000, provider: "cloud", model: "claude-sonnet-4-6" };
	const created = { name: "created", source: { type: "git", repo: "https://example.org/a.git" } };
	return {
		usage: () =>
			loadServer(
				pid,
				{
					...order,
					method: "POST",
					url: `${url}/${id}/usage`,
					headers: { ...json, authorization: pod },
					body: JSON.stringify(report),
				},
				[201],
			),
		put: () => loadServer(pid, { ...order, method: "PUT", paths, body: JSON.stringify({ name: "renamed" }) }, [200]),
		create: () => loadServer(pid, { ...order, method: "POST", body: JSON.stringify(created) }, [201]),
	};
}

async function createdPath(platform: TestPlatform): Promise<string> {
	const { body } = await platform.client().post<{ id: string }>("/sessions", { name: "written" });
	return `${new URL(platform.prefix).pathname}/sessions/${body.id}`;
}
