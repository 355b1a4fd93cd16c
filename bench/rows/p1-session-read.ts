import { filledPlatform } from "../filled-platform.ts";
import { loadServer, type ServerSample } from "../load.ts";
import { Program } from "../program.ts";
import { interleaved, median } from "../rounds.ts";
import type { Measured, Row } from "../row.ts";

const seconds = 3;
const connections = 64;
/**
 * The count of sessions, more than the store caches: when they are read in turn, each has been evicted before it is
 * read again.
 */
const sessions = 1_500;

export const p1: Row = {
	id: "P1",
	title:
		"GET /sessions/{id} in one process, of one session and of 1,500 in turn, against bare node:http with the same JSON",
	async measure(): Promise<Measured> {
		await using opened = await filledPlatform(sessions);
		const { platform, pid } = opened;
		const paths = await pathsOfSessions(platform.prefix);
		const [path = ""] = paths;
		const url = `${platform.url}${path}`;
		const body = await (await fetch(url)).text();
		await using bare = await Program.start<{ port: number }>("./baselines/bare-http.ts", { body });
		const bareUrl = `http://127.0.0.1:${bare.ready.port}${path}`;
		const order = { seconds, connections };
		const samples = await interleaved(
			{
				one: () => loadServer(pid, { ...order, url }, [200]),
				bareOne: () => loadServer(bare.pid, { ...order, url: bareUrl }, [200]),
				each: () => loadServer(pid, { ...order, url, paths }, [200]),
				bareEach: () => loadServer(bare.pid, { ...order, url: bareUrl, paths }, [200]),
			},
			5,
		);
		return measuredOf(samples);
	},
};

function measuredOf(samples: Record<"one" | "bareOne" | "each" | "bareEach", readonly ServerSample[]>): Measured {
	const perSecond = (of: readonly ServerSample[]) => median(of.map((sample) => sample.perSecond));
	const cpu = (of: readonly ServerSample[]) => median(of.map((sample) => sample.cpuMicrosPerRequest));
	const { one, bareOne, each, bareEach } = samples;
	const figures = {
		ours_per_s: perSecond(one),
		baseline_per_s: perSecond(bareOne),
		ours_in_turn_per_s: perSecond(each),
		baseline_in_turn_per_s: perSecond(bareEach),
		ours_cpu_us: cpu(one),
		ours_in_turn_cpu_us: cpu(each),
		baseline_cpu_us: cpu(bareOne),
		ours_p99_ms: median(one.map(({ p99 }) => p99)),
	};
	return {
		verdicts: [
			{ what: "requests/s, of one session", value: ratio(one, bareOne), compare: ">=", target: 0.6 },
			{ what: "requests/s, of 1,500 in turn", value: ratio(each, bareEach), compare: ">=", target: 0.6 },
		],
		figures,
	};
}

/** Returns the median of the ratios of the rounds. */
function ratio(ours: readonly ServerSample[], bare: readonly ServerSample[]): number {
	return median(ours.map(({ perSecond }, round) => perSecond / (bare[round]?.perSecond ?? Number.NaN)));
}

/** Returns the paths of all sessions. */
async function pathsOfSessions(prefix: string): Promise<string[]> {
	const ids: string[] = [];
	for (let url: string | undefined = `${prefix}/sessions?limit=100`; url !== undefined; ) {
		const response: Response = await fetch(url);
		ids.push(...((await response.json()) as { id: string }[]).map(({ id }) => id));
		const next: string | undefined = /<([^>]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
		url = next && new URL(next, prefix).href;
	}
	return ids.map((id) => new URL(`${prefix}/sessions/${id}`).pathname);
}
