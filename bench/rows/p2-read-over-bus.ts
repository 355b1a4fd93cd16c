import { startNatsServer } from "../../test/support/bus/nats-server.ts";
import { eventually } from "../../test/support/eventually.ts";
import { startPlatform, type TestPlatform } from "../../test/support/platform/start-platform.ts";
import { storingServices } from "../../test/support/platform/storing-services.ts";
import type { HopOrder } from "../baselines/nats-hop.ts";
import { loadServer, type ServerSample } from "../load.ts";
import { cpuMicros } from "../process-cost.ts";
import { Program } from "../program.ts";
import { interleaved, median } from "../rounds.ts";
import type { Measured, Row } from "../row.ts";

const seconds = 3;
const connections = 64;
const rounds = 5;

/** Nobody is limited, so that the load is the same. */
const limits = { requests_per_second: 0, in_flight_per_user: 0, in_flight_per_tenant: 0 };

/** The cost of both processes of one side. */
interface HopSample extends ServerSample {
	readonly serviceCpuMicros: number;
}

export const p2: Row = {
	id: "P2",
	title: "GET /sessions/{id} through NATS, gateway and service in processes of their own, against the same hop by hand",
	async measure(): Promise<Measured> {
		await using nats = await startNatsServer();
		await using platform = await startPlatform({
			processes: [["gateway", "stream"], storingServices, ["credentials", "models"]],
			readyAt: "/health",
			config: { limits },
			env: { BUS__URL: nats.url },
		});
		const url = await sessionUrl(platform);
		const body = await (await fetch(url, { headers: platform.login.headers })).text();
		const hop = (order: Omit<HopOrder, "natsUrl">) =>
			Program.start<{ port: number }>("./baselines/nats-hop.ts", { natsUrl: nats.url, ...order } satisfies HopOrder);
		await using service = await hop({ body });
		await using gateway = await hop({});
		const hopUrl = `http://127.0.0.1:${gateway.ready.port}${new URL(url).pathname}`;
		const [ours, sessions] = platform.processes;
		const load = { seconds, connections, headers: { ...platform.login.headers } };
		const samples = await interleaved(
			{
				ours: () => sample(ours?.pid ?? 0, sessions?.pid ?? 0, () => ({ ...load, url })),
				hop: () => sample(gateway.pid, service.pid, () => ({ ...load, url: hopUrl })),
			},
			rounds,
		);
		return measuredOf(samples);
	},
};

async function sample(
	gateway: number,
	service: number,
	order: () => Parameters<typeof loadServer>[1],
): Promise<HopSample> {
	const before = cpuMicros(service);
	const loaded = await loadServer(gateway, order(), [200]);
	return { ...loaded, serviceCpuMicros: (cpuMicros(service) - before) / loaded.count };
}

function measuredOf({ ours, hop }: Record<"ours" | "hop", readonly HopSample[]>): Measured {
	const of = (samples: readonly HopSample[], read: (one: HopSample) => number) => median(samples.map(read));
	const figures = {
		ours_per_s: of(ours, ({ perSecond }) => perSecond),
		baseline_per_s: of(hop, ({ perSecond }) => perSecond),
		ours_gateway_cpu_us: of(ours, ({ cpuMicrosPerRequest }) => cpuMicrosPerRequest),
		ours_service_cpu_us: of(ours, ({ serviceCpuMicros }) => serviceCpuMicros),
		baseline_gateway_cpu_us: of(hop, ({ cpuMicrosPerRequest }) => cpuMicrosPerRequest),
		baseline_service_cpu_us: of(hop, ({ serviceCpuMicros }) => serviceCpuMicros),
		ours_p99_ms: of(ours, ({ p99 }) => p99),
	};
	const value = median(ours.map(({ perSecond }, round) => perSecond / (hop[round]?.perSecond ?? Number.NaN)));
	return { verdicts: [{ what: "requests/s", value, compare: ">=", target: 0.8 }], figures };
}

/** Creates a session, as soon as the platform can; returns its URL. */
function sessionUrl(platform: TestPlatform): Promise<string> {
	return eventually(
		async () => {
			const { status, body } = await platform.client().post<{ id: string }>("/sessions", { name: "read" });
			return status === 201 && `${platform.prefix}/sessions/${body.id}`;
		},
		{ withinMs: 60_000, what: "the platform creates a session" },
	);
}
