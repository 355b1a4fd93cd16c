/** Composes the books: ledger, accounts, budgets, counts. */
import type { Principal } from "#shared/base/principal.ts";
import type { Config } from "#shared/config/config.ts";
import type { ModelCatalogue } from "#shared/wire/models/model-catalogue.ts";
import type { Documents } from "#shared/store/port/documents.ts";
import type { ServiceLog } from "#shared/base/service-log.ts";
import type { SessionRecords } from "../record/session-records.ts";
import type { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { BookMetrics } from "./book-metrics.ts";
import { Bookkeeper } from "./bookkeeper.ts";
import { BudgetLimits } from "./budget-limits.ts";
import { Budgets } from "./budgets.ts";
import {
	budgetLimitCollection,
	dayAccountCollection,
	dayHoldCollection,
	sessionCountCollection,
} from "./collections.ts";
import { Corrections } from "./corrections.ts";
import { DayAccounts } from "./day-accounts.ts";
import { Ledger } from "./ledger.ts";
import { ledgerCollection } from "./ledger-collection.ts";
import { microsOf } from "#shared/wire/models/money.ts";
import { PriceList } from "./price-list.ts";
import { readStats } from "./read-stats.ts";
import type { SessionCounts } from "./session-counts.ts";
import { UsageReports } from "./usage-reports.ts";

export const bookCollections = [
	ledgerCollection,
	dayAccountCollection,
	dayHoldCollection,
	budgetLimitCollection,
	sessionCountCollection,
] as const;

interface BooksDependencies {
	readonly store: Documents;
	readonly config: Config;
	readonly catalogue: ModelCatalogue;
	readonly records: SessionRecords;
	readonly counts: SessionCounts;
	readonly log: ServiceLog;
	readonly metrics: Metrics;
}

export type OpenBooks = ReturnType<typeof openBooks>;

export function openBooks({ store, config, catalogue, records, counts, log, metrics }: BooksDependencies) {
	const measured = new BookMetrics(metrics);
	const ledger = new Ledger(store);
	const accounts = new DayAccounts(store, ledger);
	const prices = new PriceList(catalogue);
	const { user_daily_limit: user, tenant_daily_limit: tenant } = config.budgets;
	const limits = new BudgetLimits(store, {
		...(user !== undefined && { user: microsOf(user) }),
		...(tenant !== undefined && { tenant: microsOf(tenant) }),
	});
	const bookkeeper = new Bookkeeper({ ledger, records, accounts }, (error) =>
		log.error("The books wait for the store:", error),
	);
	return {
		ledger,
		accounts,
		limits,
		bookkeeper,
		reports: new UsageReports({ records, ledger, prices, bookkeeper, measured }),
		corrections: new Corrections({ records, ledger, bookkeeper }),
		budgets: new Budgets({ records, accounts, limits, prices, measured }),
		stats: (principal: Principal) => readStats(principal, counts, accounts),
	};
}
