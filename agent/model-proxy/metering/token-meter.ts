/** Sums the tokens that the session's model calls have used since the launch, as their providers reported them. */
import { addTokens, noTokens, type TokenCounts } from "#shared/models/token-counts.ts";

export class TokenMeter {
	#total: TokenCounts | undefined;

	/** The sum is undefined before the first call with known usage. */
	get total(): TokenCounts | undefined {
		return this.#total;
	}

	add(counts: TokenCounts): void {
		this.#total = addTokens(this.#total ?? noTokens, counts);
	}
}
