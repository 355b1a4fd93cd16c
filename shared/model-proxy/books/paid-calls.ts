/** The tokens and the calls under way that one reservation pays for, as the platform's requests name them. Pure. */
import { randomUUID } from "node:crypto";
import { monotonic } from "#shared/base/clock.ts";
import type { PlannedCall, SentReservationRequest } from "#shared/contracts/sessions/budgets.ts";
import type { TokenCounts } from "#shared/wire/models/token-counts.ts";
import type { AskingCall, CallSize } from "#shared/model-proxy/metering/metered-call.ts";

/** A reservation and its use. */
export interface Reserved {
	readonly id: string;
	readonly used: Map<string, TokenCounts>;
	readonly underWay: Map<string, AskingCall>;
	/** A call was refused, so the session is paused. */
	isRefused: boolean;
	/** When the platform granted a call from it last, by the monotonic clock. The unit is milliseconds. */
	grantedAt: number;
}

export function newReservation(): Reserved {
	return { id: randomUUID(), used: new Map(), underWay: new Map(), isRefused: false, grantedAt: monotonic() };
}

export function usedUnder(used: ReadonlyMap<string, TokenCounts>): SentReservationRequest["used"] & {} {
	return [...used].map(([model, { input, output, cache_read, cache_write }]) => ({
		model,
		input_tokens: input,
		output_tokens: output,
		cache_read_tokens: cache_read,
		cache_write_tokens: cache_write,
	}));
}

/** @param context The tokens that the last call read and wrote; the next call reads at least as many. */
export function likely({ model, bounds }: AskingCall, context = 0): PlannedCall {
	if (!bounds) return { model };
	const { input, output } = bounds.likely;
	return planned(model, { input: Math.max(input, context), output });
}

export function most({ model, bounds }: AskingCall): PlannedCall {
	return bounds ? planned(model, bounds.atMost) : { model };
}

function planned(model: string, { input, output }: CallSize): PlannedCall {
	return {
		model,
		...(Number.isFinite(input) && { input_tokens: input }),
		...(Number.isFinite(output) && { output_tokens: output }),
	};
}
