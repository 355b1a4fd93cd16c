/** Puts HTTP load on a server and measures the cost for the server. */
import type { LoadOrder, LoadResult } from "./http-load.ts";
import { cpuMicros } from "./process-cost.ts";
import { Program } from "./program.ts";

/** The answers of one run with the server's cost. */
export interface ServerSample extends LoadResult {
	/** The processor time of the server per request. */
	readonly cpuMicrosPerRequest: number;
}

/** Runs the load. @throws {Error} for any status that is not in `statuses`. */
export async function loadServer(pid: number, order: LoadOrder, statuses: readonly number[]): Promise<ServerSample> {
	const before = cpuMicros(pid);
	await using program = await Program.start<LoadResult>("./http-load.ts", order);
	const result = program.ready;
	const strange = Object.keys(result.byStatus).filter((status) => !statuses.includes(Number(status)));
	if (strange.length > 0 || result.count === 0) {
		throw new Error(`${order.url} answered ${JSON.stringify(result.byStatus)}, ${result.errors} errors`);
	}
	return { ...result, cpuMicrosPerRequest: (cpuMicros(pid) - before) / result.count };
}
