/** The daily limits of users and tenants: those that an administrator has set, otherwise the configured ones. */
import type { Documents } from "#shared/store/port/documents.ts";
import { ResourceRecords, type ResourcesIn } from "#shared/store/resource-records.ts";
import { budgetLimitCollection } from "./collections.ts";
import type { Payer } from "./day-accounts.ts";

/** The configured limits in micro-dollars; absent: no limit. */
interface DefaultLimits {
	readonly user?: number;
	readonly tenant?: number;
}

interface Limit {
	/** The amount in micro-dollars; undefined: no limit. */
	readonly micros: number | undefined;
	readonly isDefault: boolean;
}

export class BudgetLimits {
	readonly #store: Documents;
	readonly #records: ResourcesIn<typeof budgetLimitCollection>;
	readonly #defaults: DefaultLimits;

	constructor(store: Documents, defaults: DefaultLimits) {
		this.#store = store;
		this.#records = new ResourceRecords(store, { collection: budgetLimitCollection, noun: "Limit" });
		this.#defaults = defaults;
	}

	async of(payer: Payer): Promise<Limit> {
		const said = await this.#store.get(budgetLimitCollection, idOf(payer));
		if (said) return { micros: said.limit_micros, isDefault: false };
		const micros = payer.owner === undefined ? this.#defaults.tenant : this.#defaults.user;
		return { micros, isDefault: true };
	}

	/** Sets a limit. @param micros The amount in micro-dollars; undefined: no limit. */
	async set(payer: Payer, micros: number | undefined): Promise<void> {
		const wire = JSON.stringify({ limit_micros: micros ?? null });
		const change = micros === undefined ? { unset: ["limit_micros"] as const } : { set: { limit_micros: micros } };
		await this.#records.put(idOf(payer), () => ({ wire, ...change }));
	}

	/** Removes the limit of an administrator, so that the configured one applies again. */
	async reset(payer: Payer): Promise<void> {
		await this.#store.remove(budgetLimitCollection, idOf(payer), {});
	}
}

function idOf({ tenant, owner }: Payer): string {
	return JSON.stringify(owner === undefined ? [tenant] : [tenant, owner]);
}
