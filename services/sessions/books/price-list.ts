/** Computes the cost of tokens from the model catalogue. */
import type { bucketFields, UsageReport } from "#shared/contracts/sessions/usage.ts";
import {
	type CatalogueModel,
	idsByName,
	type ModelCatalogue,
	namesOf,
	tokenPrices,
} from "#shared/wire/models/model-catalogue.ts";
import { costMicros, noTokens, type TokenCounts, type TokenPrices } from "#shared/wire/models/token-counts.ts";
import { microsOf } from "#shared/wire/models/money.ts";

/** The assumed tokens of a model call of unknown size. */
const usualInput = 16_000;
const usualOutput = 4_000;
/** The least amount of a reservation: one cent. */
const leastMicros = 10_000;

interface Priced {
	readonly prices: TokenPrices;
	readonly contextWindow: number;
}

/** The prices at the start of the process. */
export class PriceList {
	/** The version of the catalogue, which every row of the ledger stores. */
	readonly version: string;
	readonly #models: ReadonlyMap<string, Priced>;
	readonly #default: string;
	readonly #local: ReadonlySet<string>;
	readonly #ids: ReadonlyMap<string, string>;

	constructor({ price_version, models, providers, default_model }: ModelCatalogue) {
		this.version = price_version;
		this.#default = default_model;
		const cloud = new Set(providers.filter(({ location }) => location === "cloud").map(({ id }) => id));
		this.#models = new Map(models.filter(({ provider }) => cloud.has(provider)).flatMap(priced));
		this.#ids = idsByName(models);
		this.#local = new Set(models.filter(({ provider }) => !cloud.has(provider)).flatMap(namesOf));
	}

	/** Returns the id of the model that a report names, under which it is booked; an unknown name stays. */
	idOf(model: string): string {
		return this.#ids.get(model) ?? model;
	}

	/**
	 * Whether a session with a budget may call a model: its own one unless the catalogue no longer has it, any model
	 * with a price, and any model if its own is local.
	 * @param own The session's model; empty: the default one.
	 */
	mayBeCalled(model: string, own: string): boolean {
		const named = own === "" ? this.#default : own;
		const isOwn = model === named && (model === "" || this.#ids.has(model));
		return isOwn || this.#models.has(model) || this.#local.has(named);
	}

	/** Whether the catalogue, and not the reporter, says what the tokens of a report cost. */
	knows({ provider, model }: Pick<UsageReport, "provider" | "model">): boolean {
		return provider === "cloud" && this.#models.has(model);
	}

	/**
	 * Returns the cost in micro-dollars. Tokens of a cloud model with a price cost what the catalogue says, whatever
	 * the report says; for others the report decides. Undefined when the cost is unknown.
	 */
	costOf({ provider, model, cost }: Pick<UsageReport, "provider" | "model" | "cost">, counts: TokenCounts) {
		const known = provider === "cloud" ? this.#models.get(model) : undefined;
		if (known) return costMicros(counts, known.prices);
		return cost === undefined || cost === null ? undefined : microsOf(cost);
	}

	/** Returns the spent amount in micro-dollars; 0 for a model without a price. */
	spentOn(model: string, counts: TokenCounts): number {
		const known = this.#models.get(model);
		return known ? costMicros(counts, known.prices) : 0;
	}

	/**
	 * Returns the possible cost of a call in micro-dollars: its input, priced as if all of it were written to the cache
	 * where that is dearer, and its output; at least one cent. 0 for a model without a price.
	 */
	estimate(model: string, { input = usualInput, output = usualOutput } = {}): number {
		const known = this.#models.get(model);
		if (!known) return 0;
		const { prices, contextWindow } = known;
		const counts = {
			...noTokens,
			input: Math.min(input, contextWindow),
			output: Math.min(output, contextWindow),
		};
		return Math.max(leastMicros, costMicros(counts, { ...prices, input: Math.max(prices.input, prices.cache_write) }));
	}
}

function priced(model: CatalogueModel): [string, Priced][] {
	const prices = tokenPrices(model);
	return prices ? namesOf(model).map((name) => [name, { prices, contextWindow: model.context_window }]) : [];
}

/** Returns the tokens that a request names by bucket; an absent one is 0. */
export function bucketsOf({
	input_tokens: input = 0,
	output_tokens: output = 0,
	cache_read_tokens: cache_read = 0,
	cache_write_tokens: cache_write = 0,
}: Partial<Pick<UsageReport, keyof typeof bucketFields>>): TokenCounts {
	return { input, output, cache_read, cache_write };
}
