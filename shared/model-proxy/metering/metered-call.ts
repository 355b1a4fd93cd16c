/** The types of a model call before, during and after its way through the proxy. */
import type { ModelAccess, ModelWire } from "#shared/wire/models/model-wire.ts";
import type { TokenCounts } from "#shared/wire/models/token-counts.ts";

/** The tokens that a call reads and writes. */
export interface CallSize {
	input: number;
	output: number;
}

/** The tokens that a call may use, as its body says. */
export interface CallBounds {
	/** The usual use of a call of this size. */
	likely: CallSize;
	/** The most that the call can use; infinite when only the model's window bounds it. */
	atMost: CallSize;
}

/** A call that asks to be admitted. */
export interface AskingCall extends ModelCall {
	/** The bounds are undefined when the session had no budget, because nobody needed them. */
	bounds: CallBounds | undefined;
}

/** The members that all calls have. */
export interface ModelCall {
	id: string;
	wire: ModelWire;
	/** The session's model, by the name that its provider uses. */
	model: string;
}

/** A call whose provider has reported usage before the end. */
export interface CallUnderWay extends ModelCall {
	location: ModelAccess["location"];
	/** The usage that is known so far. */
	counts: TokenCounts;
	/** The counts are an estimate, because the provider has not reported any yet. */
	isEstimated: boolean;
}

/** A call that has ended. */
export interface MeteredCall extends ModelCall {
	provider: string;
	location: ModelAccess["location"];
	/** The usage that the provider had reported when the call ended in any way; undefined when it reported none. */
	counts: TokenCounts | undefined;
	/** A budget has to pay for usage that the provider did not report, which is estimated rather too high. */
	isEstimated: boolean;
	/** The status of the provider's response; 0 when there was none. */
	status: number;
	/** `broken`: the provider interrupted the response. `left`: the caller left before its end. */
	end: "whole" | "broken" | "left";
}
