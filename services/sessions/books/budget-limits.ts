/** The daily limits of users and tenants: those that an administrator has set, otherwise the configured ones. */
import type { Document } from "#shared/store/collection.ts";
import { tooFast } from "#shared/store/compare-and-set.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { insertOnce } from "#shared/store/insert-once.ts";
import { repeatLostRaces } from "#shared/store/lost-races.ts";
import { budgetLimitCollection } from "./collections.ts";
import type { Payer } from "./day-accounts.ts";

/** The configured limits in micro-dollars; absent: no limit. */
export interface DefaultLimits {
	readonly user?: number;
	readonly tenant?: number;
}

/** The limit of one payer. */
export interface Limit {
	/** The amount in micro-dollars; undefined: no limit. */
	readonly micros: number | undefined;
	readonly isDefault: boolean;
}

/** The repository of limits. */
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

	/** Sets a limit. @param micros The amount in micro-dollars; undefined: no limit. */
	async set(payer: Payer, micros: number | undefined): Promise<void> {
		const id = idOf(payer);
		const wire = JSON.stringify({ limit_micros: micros ?? null });
		await repeatLostRaces(
			async () => {
				const former = await this.#store.get(budgetLimitCollection, id);
				const columns = { rev: (former?.rev ?? 0) + 1, ...(micros !== undefined && { limit_micros: micros }) };
				if (!former) return insertedOrUndefined(this.#store, { id, wire, ...columns });
				const guard = former.rev === undefined ? {} : { equals: { rev: former.rev } };
				const change = { wire, set: columns, ...(micros === undefined && { unset: ["limit_micros"] as const }) };
				return this.#store.update(budgetLimitCollection, id, guard, change);
			},
			{ refusal: () => tooFast("The limit") },
		);
	}

	/** Removes the limit of an administrator, so that the configured one applies again. */
	async reset(payer: Payer): Promise<void> {
		await this.#store.remove(budgetLimitCollection, idOf(payer), {});
	}
}

type LimitDocument = Document<(typeof budgetLimitCollection)["columns"]>;

async function insertedOrUndefined(store: DocumentStore, first: LimitDocument): Promise<LimitDocument | undefined> {
	return (await insertOnce(() => store.insert(budgetLimitCollection, first))) ? first : undefined;
}

function idOf({ tenant, owner }: Payer): string {
	return JSON.stringify(owner === undefined ? [tenant] : [tenant, owner]);
}
