/** Sums the tokens that the session's model calls have used since the launch, as their providers reported them. */
import { addTokens, noTokens, type TokenCounts } from "#shared/wire/models/token-counts.ts";

export class TokenMeter {
	#total: TokenCounts | undefined;
	/** The usage that is known of calls that have not ended, by their ids. */
	readonly #underWay = new Map<string, TokenCounts>();

	/** The sum of the calls that have ended is undefined before the first one with known usage. */
	get total(): TokenCounts | undefined {
		return this.#total;
	}

	/** The sum with the usage that is known of calls under way. */
	get soFar(): TokenCounts | undefined {
		const counts = [...this.#underWay.values()];
		return counts.length === 0 ? this.#total : counts.reduce(addTokens, this.#total ?? noTokens);
	}

	/** Every call that begins has to end. @param counts The usage that the call's provider has reported so far. */
	begin(id: string, counts: TokenCounts): void {
		this.#underWay.set(id, counts);
	}

	/** @param counts The usage of the whole call; undefined when its provider reported none. */
	end(id: string, counts: TokenCounts | undefined): void {
		this.#underWay.delete(id);
		if (counts) this.#total = addTokens(this.#total ?? noTokens, counts);
	}
}
