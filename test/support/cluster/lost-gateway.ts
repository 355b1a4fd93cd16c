/** Kills one of two gateways under many clients of the event stream, while sessions change. */
import { setTimeout as sleep } from "node:timers/promises";
import { Crowd } from "../clients/crowd.ts";
import type { ApiClient } from "../clients/api-client.ts";
import { streamPath } from "../platform/start-stream.ts";
import { startCluster } from "./start-cluster.ts";

/** The observations of one run; times are in milliseconds. */
export interface LostGateway {
	/** The time until every client was connected to the other gateway, since the kill. */
	readonly back: number;
	/** The time after that until every client had all events up to that moment. */
	readonly caughtUp: number;
	/** The clients that have reconnected. */
	readonly reconnects: number;
	/** The changes of sessions that were acknowledged, and the events that every client has seen. */
	readonly acknowledged: number;
	readonly seen: number;
	/** Sentences about events that a client missed, or got twice. */
	readonly faults: readonly string[];
	/** The statuses of requests of others at the gateway that stayed. */
	readonly statuses: ReadonlySet<number>;
}

/** The time in which clients must be back, in milliseconds, on a machine with much other work. */
const withinMs = 60_000;

/** @param clients They are spread over both gateways; one that loses its gateway goes to the other one. */
export async function loseGateway(clients: number): Promise<LostGateway> {
	await using cluster = await startCluster();
	// Nothing but this run changes sessions when there is no pod manager, so each acknowledged change is one event.
	await cluster.member("pod-manager-1").kill();
	const [port = 0, ...others] = ["gateway-1", "gateway-2"].map((name) =>
		Number(new URL(cluster.member(name).url).port),
	);
	await using crowd = new Crowd({
		port,
		others,
		dataDir: cluster.platform.dataDir,
		path: streamPath,
		headers: cluster.headers,
		readers: clients,
		deaf: 0,
		trickling: 0,
	});
	await crowd.until(({ open }) => open === clients, { withinMs });
	const ended = new AbortController();
	const survivor = cluster.client("gateway-2");
	const changing = changeSessions(survivor, ended.signal);
	const watching = watchOthers(survivor, ended.signal);
	await crowd.until(({ slowest }) => slowest >= 20, { withinMs });
	const killed = performance.now();
	await cluster.member("gateway-1").kill();
	await crowd.until(({ open, reconnects }) => open === clients && reconnects >= Math.floor(clients / 2), { withinMs });
	const back = performance.now() - killed;
	const { fastest } = crowd.report;
	await crowd.until(({ slowest }) => slowest >= fastest, { withinMs });
	const caughtUp = performance.now() - killed - back;
	ended.abort();
	const acknowledged = await changing;
	await crowd.until(({ slowest }) => slowest >= acknowledged, { withinMs });
	const { reconnects, slowest: seen, faults } = crowd.report;
	return { back, caughtUp, reconnects, acknowledged, seen, faults, statuses: await watching };
}

/** Creates sessions and renames them until the signal aborts; resolves to the count of acknowledged changes. */
async function changeSessions(client: ApiClient, signal: AbortSignal): Promise<number> {
	let changes = 0;
	while (!signal.aborted) {
		const { status, body } = await client.post<{ id: string }>("/sessions", { name: `changed-${changes}` });
		if (status !== 201) throw new Error(`A session was not created: ${status}`);
		changes++;
		for (let n = 0; n < 5; n++) {
			const answer = await client.put(`/sessions/${body.id}`, { name: `renamed-${changes}` });
			if (answer.status !== 200) throw new Error(`A session was not renamed: ${answer.status}`);
			changes++;
		}
	}
	return changes;
}

async function watchOthers(client: ApiClient, signal: AbortSignal): Promise<Set<number>> {
	const statuses = new Set<number>();
	while (!signal.aborted) {
		statuses.add((await client.get("/stats")).status);
		await sleep(50);
	}
	return statuses;
}

/** Prints what a run has shown. */
export function summary(clients: number, { back, caughtUp, acknowledged, reconnects }: LostGateway): string {
	return (
		`${clients} clients: ${reconnects} lost their gateway and were back after ${(back / 1_000).toFixed(1)} s, ` +
		`up to date ${(caughtUp / 1_000).toFixed(1)} s later; ${acknowledged} changes`
	);
}
