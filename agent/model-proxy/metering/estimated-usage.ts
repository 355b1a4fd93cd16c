/** What a call is booked at whose provider has not told all of its usage: rather too much than too little. Pure. */
import { noTokens, type TokenCounts } from "#shared/models/token-counts.ts";
import type { CallBounds } from "./metered-call.ts";

const bytesPerToken = 4;

/**
 * What was told, and at least the output that is usual and that the bytes of the answer, with all that is around its
 * text, make likely; the input is that of the request.
 * @param contextWindow Tokens that fit the model: what nothing else bounds.
 * @param received Bytes of the answer.
 */
export function estimatedUsage(
	{ likely, atMost }: CallBounds,
	contextWindow: number,
	{ told, received }: { told: TokenCounts | undefined; received: number },
): TokenCounts {
	const output = Math.min(atMost.output, contextWindow, Math.max(likely.output, Math.ceil(received / bytesPerToken)));
	if (told) return { ...told, output: Math.max(told.output, output) };
	return { ...noTokens, input: Math.min(likely.input, contextWindow), output };
}
