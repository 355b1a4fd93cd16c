/** What users and tenants may spend a day: what an administrator has said, else what the configuration says. */
import type { DocumentStore } from "#shared/store/document-store.ts";
import { insertOnce } from "#shared/store/insert-once.ts";
import { budgetLimitCollection } from "./budget-limit-collection.ts";
import type { Payer } from "./day-accounts.ts";

/** Micro-dollars; absent: no limit. */
export interface DefaultLimits {
	readonly user?: number;
	readonly tenant?: number;
}

export interface Limit {
	/** Micro-dollars; undefined: none. */
	readonly micros: number | undefined;
	readonly isDefault: boolean;
}

export class BudgetLimits {
	readonly #store: DocumentStore;
	readonly #defaults: DefaultLimits;

	constructor(store: DocumentStore, defaults: DefaultLimits) {
		this.#store = store;
		this.#defaults = defaults;
	}

	async of(payer: Payer): Promise<Limit> {
		const said = await this.#store.get(budgetLimitCollection, idOf(payer));
		if (said) return { micros: said.limit_micros, isDefault: false };
		const micros = payer.owner === undefined ? this.#defaults.tenant : this.#defaults.user;
		return { micros, isDefault: true };
	}

	/** @param micros Undefined: no limit. */
	async set(payer: Payer, micros: number | undefined): Promise<void> {
		const id = idOf(payer);
		const change = micros === undefined ? ({ unset: ["limit_micros"] } as const) : { set: { limit_micros: micros } };
		if (await this.#store.update(budgetLimitCollection, id, {}, change)) return;
		const first = { id, wire: "{}", ...change.set };
		const isFirst = await insertOnce(() => this.#store.insert(budgetLimitCollection, first));
		if (!isFirst) await this.#store.update(budgetLimitCollection, id, {}, change);
	}

	/** The configuration counts again. */
	async reset(payer: Payer): Promise<void> {
		await this.#store.remove(budgetLimitCollection, idOf(payer), {});
	}
}

function idOf({ tenant, owner }: Payer): string {
	return JSON.stringify(owner === undefined ? [tenant] : [tenant, owner]);
}
