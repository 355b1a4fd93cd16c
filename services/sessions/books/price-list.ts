/** What tokens cost, by the model catalogue. */
import type { UsageReport } from "#shared/contracts/usage.ts";
import { type CatalogueModel, type ModelCatalogue, tokenPrices } from "#shared/models/model-catalogue.ts";
import { costMicros, noTokens, type TokenCounts, type TokenPrices } from "#shared/models/token-counts.ts";
import { microsOf } from "#shared/models/money.ts";

/** Of a model call whose size nobody knows yet. */
const usualInput = 16_000;
const usualOutput = 4_000;
/** A reservation holds at least so much: a cent. */
const leastMicros = 10_000;

interface Priced {
	readonly prices: TokenPrices;
	readonly contextWindow: number;
}

export class PriceList {
	/** Stands in every row of the ledger. */
	readonly version: string;
	readonly #models: ReadonlyMap<string, Priced>;
	readonly #default: string;
	readonly #local: ReadonlySet<string>;
	readonly #known: ReadonlySet<string>;

	constructor({ price_version, models, providers, default_model }: ModelCatalogue) {
		this.version = price_version;
		this.#default = default_model;
		const cloud = new Set(providers.filter(({ location }) => location === "cloud").map(({ id }) => id));
		this.#models = new Map(models.filter(({ provider }) => cloud.has(provider)).flatMap(priced));
		this.#known = new Set(models.map(({ id }) => id));
		this.#local = new Set(models.filter(({ provider }) => !cloud.has(provider)).map(({ id }) => id));
	}

	/**
	 * Whether a session with a budget may call a model: its own one unless that has left the catalogue, any that has a price,
	 * and any where its own is local.
	 * @param own The session's model; empty: the default one.
	 */
	mayBeCalled(model: string, own: string): boolean {
		const named = own === "" ? this.#default : own;
		const isOwn = model === named && (model === "" || this.#known.has(model));
		return isOwn || this.#models.has(model) || this.#local.has(named);
	}

	/**
	 * Micro-dollars. Tokens of a model in the cloud that has a price cost what the list says, whatever the reporter
	 * believes; others what the reporter says. Undefined when nobody knows.
	 */
	costOf({ provider, model, cost }: Pick<UsageReport, "provider" | "model" | "cost">, counts: TokenCounts) {
		const known = provider === "cloud" ? this.#models.get(model) : undefined;
		if (known) return costMicros(counts, known.prices);
		return cost === undefined || cost === null ? undefined : microsOf(cost);
	}

	/** Micro-dollars that were spent; 0 for a model without a price. */
	spentOn(model: string, counts: TokenCounts): number {
		const known = this.#models.get(model);
		return known ? costMicros(counts, known.prices) : 0;
	}

	/**
	 * Micro-dollars a call of a model may cost: what it reads, as if all of it were written to the cache where that is
	 * dearer, and what it writes; at least a cent. 0 for a model without a price.
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
	return prices ? [[model.id, { prices, contextWindow: model.context_window }]] : [];
}
