/** Records what the scripted server has billed, call by call. */
import type { ModelWire } from "#shared/wire/models/model-wire.ts";
import { addTokens, noTokens, type TokenCounts } from "#shared/wire/models/token-counts.ts";

export interface BilledCall {
	wire: ModelWire;
	model: string;
	/** The usage that had been reported when the answer ended in any way; empty when none was. */
	counts: TokenCounts;
	/** The end of the answer. `cut`: the server closed the connection; `left`: the caller did. */
	end: "whole" | "cut" | "left" | "refused";
	/** Whether the caller disconnected so soon after the end that it may not have read it. */
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

/**
 * Returns numbers that differ for each call and bucket, so that no mistake is hidden. @param n The number of the call,
 * from 0.
 */
export function defaultCounts(n: number, wire: ModelWire): TokenCounts {
	return {
		input: 1_000 + 7 * n,
		output: 50 + 3 * n,
		cache_read: 200 + 11 * n,
		// The other wire formats do not report it, or only some servers do.
		cache_write: wire === "anthropic" ? 30 + n : 0,
	};
}

function sum(calls: readonly BilledCall[]): TokenCounts {
	return calls.reduce<TokenCounts>((all, { counts }) => addTokens(all, counts), { ...noTokens });
}
