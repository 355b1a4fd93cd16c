/** One call of a model that went through the proxy, or is to. */
import type { ModelAccess, ModelWire } from "#shared/models/model-wire.ts";
import type { TokenCounts } from "#shared/models/token-counts.ts";

/** Tokens a call reads and writes. */
export interface CallSize {
	input: number;
	output: number;
}

/** What a call may use, from its body. */
export interface CallBounds {
	/** What is usual for its size. */
	likely: CallSize;
	/** What it cannot pass; infinite where only the model's window bounds it. */
	atMost: CallSize;
}

/** A call that asks for leave. */
export interface AskingCall extends ModelCall {
	id: string;
	/** Undefined: nobody has looked, because the session had no budget. */
	bounds: CallBounds | undefined;
}

export interface ModelCall {
	wire: ModelWire;
	/** The session's, as its provider knows it. */
	model: string;
}

/** A call whose provider has told of its usage before the end, as some do. */
export interface CallUnderWay extends ModelCall {
	id: string;
	location: ModelAccess["location"];
	/** What is known so far. */
	counts: TokenCounts;
	/** It is a guess, because the provider has told nothing yet. */
	isEstimated: boolean;
}

export interface MeteredCall extends ModelCall {
	id: string;
	/** Id of the provider. */
	provider: string;
	location: ModelAccess["location"];
	/** What the provider told of the usage until the end, whichever it was; undefined: nothing. */
	counts: TokenCounts | undefined;
	/** The provider told nothing, or not all, of a call that a budget has to pay: the rest is a guess that is rather too high. */
	isEstimated: boolean;
	/** Of the provider's answer; 0: there was none. */
	status: number;
	/** `broken`: by the provider, `left`: the caller went away first. */
	end: "whole" | "broken" | "left";
}
