/**
 * Reads the statistics of `GET /stats`: a user's own ones, an administrator's tenant. The cost of a reading does not
 * depend on the amount of data.
 */
import type { Principal } from "#shared/base/principal.ts";
import { now } from "#shared/base/clock.ts";
import type { Stats } from "#shared/contracts/sessions/usage.ts";
import { type DayAccounts, dayOf } from "./day-accounts.ts";
import { dollarsOf } from "#shared/wire/models/money.ts";
import { seesWholeTenant } from "#shared/contracts/access/access-table.ts";
import type { SessionCounts } from "./session-counts.ts";

export async function readStats(principal: Principal, counts: SessionCounts, accounts: DayAccounts): Promise<Stats> {
	const { tenant, id } = principal;
	const payer = seesWholeTenant(principal) ? { tenant } : { tenant, owner: id };
	const [{ sessions, running_sessions }, today] = await Promise.all([
		counts.of(principal),
		accounts.totals(payer, dayOf(now())),
	]);
	const { localTokens, cloudTokens, spent, unreserved } = today;
	return {
		active_sessions: running_sessions,
		total_sessions: sessions,
		tokens_today: localTokens + cloudTokens,
		local_tokens: localTokens,
		cloud_tokens: cloudTokens,
		cost_today: dollarsOf(spent + unreserved),
	};
}
