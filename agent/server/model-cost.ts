/** What the session's model costs, by the prices of its launch. Pure. */
import { dollarsOf } from "#shared/models/money.ts";
import type { ModelAccess } from "#shared/models/model-wire.ts";
import { costMicros, type TokenCounts } from "#shared/models/token-counts.ts";

/** US dollars, e.g. of what a turn has used; undefined: the session has no model, or it is not priced. */
export function modelCost(
	counts: Readonly<TokenCounts>,
	access: Pick<ModelAccess, "prices"> | undefined,
): number | undefined {
	return access?.prices && dollarsOf(costMicros(counts, access.prices));
}
