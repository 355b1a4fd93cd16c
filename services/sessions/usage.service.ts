/** Wires usage and its sums to the bus; the rules are in books/. */
import type { ServiceSchema } from "moleculer";
import { implement } from "#shared/bus/service.ts";
import { usage } from "#shared/contracts/sessions/usage.ts";
import type { Bookkeeper } from "./books/bookkeeper.ts";
import type { StatsReader } from "./books/stats-reader.ts";
import type { UsageReports } from "./books/usage-reports.ts";

export function usageService(reports: UsageReports, bookkeeper: Bookkeeper, stats: StatsReader): ServiceSchema {
	return {
		name: usage.name,
		actions: implement(usage, {
			stats: (_params, principal) => stats.of(principal),
			report: ({ session_id, ...report }, principal) => reports.take(principal, session_id, report),
		}),
		started: async () => bookkeeper.start(),
		stopped: () => bookkeeper.stop(),
	};
}
