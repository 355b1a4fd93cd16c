/**
 * Counts tokens of model calls and computes their cost. There are four exclusive buckets: no token is counted in two of
 * them.
 */

export const tokenKinds = ["input", "output", "cache_read", "cache_write"] as const;
export type TokenKind = (typeof tokenKinds)[number];

/** Whole tokens by bucket. `input` excludes tokens read from or written to a cache; `output` includes reasoning. */
export type TokenCounts = Record<TokenKind, number>;

/** Micro-dollars per million tokens, whole numbers: 3 dollars are 3,000,000. */
export type TokenPrices = Record<TokenKind, number>;

export const noTokens: Readonly<TokenCounts> = { input: 0, output: 0, cache_read: 0, cache_write: 0 };

const million = 1_000_000n;

export function addTokens(a: Readonly<TokenCounts>, b: Readonly<TokenCounts>): TokenCounts {
	return {
		input: a.input + b.input,
		output: a.output + b.output,
		cache_read: a.cache_read + b.cache_read,
		cache_write: a.cache_write + b.cache_write,
	};
}

/** Returns the difference between two readings of a growing count; undefined while nothing is counted. */
export function usedSince(
	before: Readonly<TokenCounts> | undefined,
	now: Readonly<TokenCounts> | undefined,
): TokenCounts | undefined {
	if (!now) return undefined;
	const used = tokenKinds.map((bucket) => [bucket, now[bucket] - (before?.[bucket] ?? 0)] as const);
	return Object.fromEntries(used) as TokenCounts;
}

export function totalTokens(counts: Readonly<TokenCounts>): number {
	return tokenKinds.reduce((sum, bucket) => sum + counts[bucket], 0);
}

/** Returns the cost in whole micro-dollars, rounded once, half up. */
export function costMicros(counts: Readonly<TokenCounts>, prices: Readonly<TokenPrices>): number {
	const exact = tokenKinds.reduce((sum, bucket) => sum + BigInt(counts[bucket]) * BigInt(prices[bucket]), 0n);
	return Number((exact + million / 2n) / million);
}
