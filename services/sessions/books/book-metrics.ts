/** Measures what sessions use: tokens, cost, and how often a budget stops one. */
import type { BudgetScope } from "#shared/contracts/sessions/session-resource.ts";
import type { CounterCell, Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { dollarsOf } from "#shared/wire/models/money.ts";
import { type TokenKind, tokenKinds } from "#shared/wire/models/token-counts.ts";
import { isMoney, type LedgerRow } from "./ledger-collection.ts";

const scopes: readonly BudgetScope[] = ["session", "user", "tenant"];

/** The books as one process writes them. */
export class BookMetrics {
	readonly #tokens: ReadonlyMap<TokenKind, CounterCell>;
	readonly #cost: CounterCell;
	readonly #pauses: ReadonlyMap<BudgetScope, CounterCell>;

	constructor(metrics: Metrics) {
		const tokens = metrics.counter("atelier_model_tokens_total");
		const pauses = metrics.counter("atelier_budget_pauses_total");
		this.#tokens = new Map(tokenKinds.map((kind) => [kind, tokens.at(kind)]));
		this.#cost = metrics.counter("atelier_model_cost_dollars_total").at();
		this.#pauses = new Map(scopes.map((scope) => [scope, pauses.at(scope)]));
	}

	/** Counts a new row of the ledger. Those of users on their own sessions do not count, as in the accounts. */
	used(row: LedgerRow): void {
		if (!isMoney(row)) return;
		for (const [kind, cell] of this.#tokens) cell.add(row[`${kind}_tokens`] ?? 0);
		this.#cost.add(dollarsOf(row.micros ?? 0));
	}

	paused(scope: BudgetScope): void {
		this.#pauses.get(scope)?.add();
	}
}
