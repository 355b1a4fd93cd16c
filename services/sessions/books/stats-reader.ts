/** The numbers of `GET /stats`: a user's own, an administrator's tenant. Their cost does not depend on how much there is. */
import type { Principal } from "#shared/bus/principal.ts";
import { now } from "#shared/clock.ts";
import type { Stats } from "#shared/contracts/usage.ts";
import { type DayAccounts, dayOf } from "./day-accounts.ts";
import { dollarsOf } from "#shared/models/money.ts";
import { seesWholeTenant } from "#shared/session-access.ts";
import type { SessionCounts } from "./session-counts.ts";

export class StatsReader {
	readonly #counts: SessionCounts;
	readonly #accounts: DayAccounts;
	readonly #settled: () => Promise<void>;

	/** @param settled Resolves when the event log has what was written here before. */
	constructor(counts: SessionCounts, accounts: DayAccounts, settled: () => Promise<void>) {
		this.#counts = counts;
		this.#accounts = accounts;
		this.#settled = settled;
	}

	async of(principal: Principal): Promise<Stats> {
		await this.#settled();
		const { tenant, id } = principal;
		const payer = seesWholeTenant(principal) ? { tenant } : { tenant, owner: id };
		const [{ sessions, running_sessions }, today] = await Promise.all([
			this.#counts.of(principal),
			this.#accounts.totals(payer, dayOf(now())),
		]);
		const { localTokens, cloudTokens, spent } = today;
		return {
			active_sessions: running_sessions,
			total_sessions: sessions,
			tokens_today: localTokens + cloudTokens,
			local_tokens: localTokens,
			cloud_tokens: cloudTokens,
			cost_today: dollarsOf(spent),
		};
	}
}
