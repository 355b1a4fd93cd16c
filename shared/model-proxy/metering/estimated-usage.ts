/** Estimates, rather too high than too low, the usage that a provider has not reported completely. Pure. */
import { noTokens, type TokenCounts } from "#shared/wire/models/token-counts.ts";
import type { CallBounds } from "./metered-call.ts";

const bytesPerToken = 4;

/**
 * Returns the usage that was reported, with at least the usual output and the output that the bytes of the response
 * make likely. The input is estimated from the request.
 * @param contextWindow The tokens that fit the model; they bound what nothing else bounds.
 * @param received The bytes of the response.
 */
export function estimatedUsage(
	{ likely, atMost }: CallBounds,
	contextWindow: number,
	{ reported, received }: { reported: TokenCounts | undefined; received: number },
): TokenCounts {
	const output = Math.min(atMost.output, contextWindow, Math.max(likely.output, Math.ceil(received / bytesPerToken)));
	if (reported) return { ...reported, output: Math.max(reported.output, output) };
	return { ...noTokens, input: Math.min(likely.input, contextWindow), output };
}
