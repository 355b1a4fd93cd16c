/** Wires the history of sessions to the bus; the rules are in session-history.ts. */
import type { ServiceSchema } from "moleculer";
import { implement } from "#shared/bus/service.ts";
import { history } from "#shared/contracts/sessions/history.ts";
import type { HistoryReports } from "./history/history-reports.ts";

export function historyService(reports: HistoryReports): ServiceSchema {
	return {
		name: history.name,
		actions: implement(history, {
			report: ({ session_id, ...report }, principal) => reports.take(principal, session_id, report),
		}),
	};
}
