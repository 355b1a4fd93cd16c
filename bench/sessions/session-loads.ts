/** A read and three writes of sessions as loads, which a row and the comparison of source trees put on a platform. */
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import type { TestPlatform } from "../../test/support/platform/start-platform.ts";
import type { LoadOrder } from "../http-load.ts";
import { loadServer, type ServerSample } from "../load.ts";
import type { BenchPlatform } from "../platform.ts";

const connections = 16;
/** A read costs so little that fewer connections would leave the platform idle, and that a run needs more of them. */
const reads = { connections: 64, perWrite: 20 };
/** The count of changed sessions: writes of different sessions are committed together. */
const sessions = 32;
const json = { "content-type": "application/json" };

/** How long a run lasts: a time, or a count of requests where the machine has other work. */
export type RunLength = Pick<LoadOrder, "seconds" | "amount">;

/** One measured run of each kind of request. */
export interface SessionLoads {
	/** Reads one session again and again. */
	readonly get: () => Promise<ServerSample>;
	readonly usage: () => Promise<ServerSample>;
	readonly put: () => Promise<ServerSample>;
	readonly create: () => Promise<ServerSample>;
}

/** Makes the sessions and returns the loads on them. */
export async function sessionLoads({ platform, pid }: BenchPlatform, length: RunLength): Promise<SessionLoads> {
	const paths = await Promise.all(Array.from({ length: sessions }, () => createdPath(platform)));
	const [own = ""] = paths;
	const id = own.split("/").at(-1) ?? "";
	const pod = `Bearer ${openInstallationKey(platform.dataDir, "").podToken(id, 1)}`;
	const url = `${platform.prefix}/sessions`;
	const order = { ...length, url, connections, headers: json };
	const reading = length.amount === undefined ? length : { amount: length.amount * reads.perWrite };
	const report = { tokens: 1_000, provider: "cloud", model: "claude-sonnet-4-6" };
	const created = { name: "created", source: { type: "git", repo: "https://example.org/a.git" } };
	return {
		get: () => loadServer(pid, { ...order, ...reading, url: `${url}/${id}`, connections: reads.connections }, [200]),
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
