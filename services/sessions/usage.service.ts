/** Aggregate numbers on the bus. Tokens and cost are 0 as long as nothing meters them: no agent of this version uses a model. */
import type { ServiceSchema } from "moleculer";
import { implement } from "#shared/bus/service.ts";
import { usage } from "#shared/contracts/usage.ts";
import type { SessionRecords } from "./session-records.ts";

export function usageService(records: SessionRecords): ServiceSchema {
	return {
		name: usage.name,
		actions: implement(usage, {
			async stats(_params, principal) {
				const [running, active, archived] = await Promise.all([
					records.count(principal, { status: "running" }),
					records.count(principal, { shelf: "active" }),
					records.count(principal, { shelf: "archived" }),
				]);
				const tokens = { tokens_today: 0, local_tokens: 0, cloud_tokens: 0, cost_today: 0 };
				return { active_sessions: running, total_sessions: active + archived, ...tokens };
			},
		}),
	};
}
