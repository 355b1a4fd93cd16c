import { startCluster } from "../../test/support/cluster/start-cluster.ts";
import type { SseClient } from "../../test/support/clients/sse-client.ts";
import { median, quantile } from "../rounds.ts";
import type { Measured, Row } from "../row.ts";

const changes = 300;
const warmUp = 30;

export const p16: Row = {
	id: "P16",
	title: "An event's way from a write at one gateway to a client at the other, against a client at the same gateway",
	async measure(): Promise<Measured> {
		await using cluster = await startCluster({ cores: 1 });
		// Nothing else changes the session when there is no pod manager.
		await cluster.member("pod-manager-1").kill();
		const writer = cluster.client("gateway-1");
		await using same = await cluster.events("gateway-1");
		await using other = await cluster.events("gateway-2");
		const { body } = await writer.post<{ id: string }>("/sessions", { name: "changed" });
		const delays: { same: number; other: number }[] = [];
		for (let n = 0; n < warmUp + changes; n++) {
			const name = `renamed-${n}`;
			const since = performance.now();
			const seen = Promise.all([arrival(same, name), arrival(other, name)]);
			await writer.put(`/sessions/${body.id}`, { name });
			const [atSame, atOther] = await seen;
			if (n >= warmUp) delays.push({ same: atSame - since, other: atOther - since });
		}
		const of = (which: "same" | "other") => delays.map((delay) => delay[which]);
		const figures = {
			same_p50_ms: median(of("same")),
			same_p99_ms: quantile(of("same"), 0.99),
			other_p50_ms: median(of("other")),
			other_p99_ms: quantile(of("other"), 0.99),
		};
		return {
			verdicts: [
				{ what: "p50", value: figures.other_p50_ms / figures.same_p50_ms, compare: "<=", target: 1.3 },
				{ what: "p99", value: figures.other_p99_ms / figures.same_p99_ms, compare: "<=", target: 1.5 },
			],
			figures,
		};
	},
};

/** Resolves to the time at which the client has the event. */
async function arrival(client: SseClient, name: string): Promise<number> {
	await client.event(({ data }) => data.includes(`"${name}"`), { everyMs: 1, withinMs: 60_000 });
	return performance.now();
}
