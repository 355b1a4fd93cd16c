/** What the scripted server has billed, call by call. */
import type { ModelWire } from "#shared/models/model-wire.ts";
import { addTokens, noTokens, type TokenCounts } from "#shared/models/token-counts.ts";

export interface BilledCall {
	wire: ModelWire;
	model: string;
	/** What had been told of the usage when the answer ended, in whatever way; nothing when nothing was told. */
	counts: TokenCounts;
	/** `cut`: by the server, `left`: the caller went away first. */
	end: "whole" | "cut" | "left" | "refused";
	/** The caller went away so soon after the end that it may not have read it. */
	mayBeUnread?: boolean;
}

export class Bill {
	readonly calls: BilledCall[] = [];

	get total(): TokenCounts {
		return sum(this.calls);
	}

	get byModel(): Record<string, TokenCounts> {
		const models = [...new Set(this.calls.map(({ model }) => model))];
		return Object.fromEntries(models.map((model) => [model, sum(this.calls.filter((call) => call.model === model))]));
	}
}

/** Different for each call and bucket, so that no mistake goes unseen. @param n Number of the call, from 0. */
export function defaultCounts(n: number, wire: ModelWire): TokenCounts {
	return {
		input: 1_000 + 7 * n,
		output: 50 + 3 * n,
		cache_read: 200 + 11 * n,
		// The other wires do not tell of it, or some servers only.
		cache_write: wire === "anthropic" ? 30 + n : 0,
	};
}

function sum(calls: readonly BilledCall[]): TokenCounts {
	return calls.reduce<TokenCounts>((all, { counts }) => addTokens(all, counts), { ...noTokens });
}
