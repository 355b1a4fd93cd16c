/** Computes the cost of tokens by the prices of the launch. Pure. */
import { dollarsOf } from "#shared/wire/models/money.ts";
import type { ModelAccess } from "#shared/wire/models/model-wire.ts";
import { costMicros, type TokenCounts } from "#shared/wire/models/token-counts.ts";

/** Returns US dollars, such as those of a turn; undefined when the session has no model, or a model without a price. */
export function modelCost(
	counts: Readonly<TokenCounts>,
	access: Pick<ModelAccess, "prices"> | undefined,
): number | undefined {
	return access?.prices && dollarsOf(costMicros(counts, access.prices));
}
