/** Wires usage and its sums to the bus; the rules are in books/. */
import type { ServiceSchema } from "moleculer";
import { implement } from "#shared/bus/service.ts";
import { usage } from "#shared/contracts/sessions/usage.ts";
import type { OpenBooks } from "./books/open-books.ts";

export function usageService({ reports, bookkeeper, stats }: OpenBooks): ServiceSchema {
	return {
		name: usage.name,
		actions: implement(usage, {
			stats: (_params, principal) => stats(principal),
			report: ({ session_id, ...report }, principal) => reports.take(principal, session_id, report),
		}),
		started: async () => bookkeeper.start(),
		stopped: () => bookkeeper.stop(),
	};
}
