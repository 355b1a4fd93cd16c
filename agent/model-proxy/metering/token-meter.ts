/** The tokens that the session's model calls have used since the launch, as their providers say. */
import { addTokens, noTokens, type TokenCounts } from "#shared/models/token-counts.ts";

export class TokenMeter {
	#total: TokenCounts | undefined;

	/** Undefined before the first call whose usage is known. */
	get total(): TokenCounts | undefined {
		return this.#total;
	}

	add(counts: TokenCounts): void {
		this.#total = addTokens(this.#total ?? noTokens, counts);
	}
}
