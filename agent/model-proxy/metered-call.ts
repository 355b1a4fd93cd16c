/** One call of a model that went through the proxy. */
import type { ModelAccess, ModelWire } from "#shared/models/model-wire.ts";
import type { TokenCounts } from "#shared/models/token-counts.ts";

export interface ModelCall {
	wire: ModelWire;
	/** As the caller named it. */
	model: string;
}

/** A call whose provider has told of its usage before the end, as some do. */
export interface CallUnderWay extends ModelCall {
	id: string;
	location: ModelAccess["location"];
	/** What is known so far. */
	counts: TokenCounts;
}

export interface MeteredCall extends ModelCall {
	id: string;
	/** Id of the provider. */
	provider: string;
	location: ModelAccess["location"];
	/** What the provider told of the usage until the end, whichever it was; undefined: nothing. */
	counts: TokenCounts | undefined;
	/** Of the provider's answer; 0: there was none. */
	status: number;
	/** `broken`: by the provider, `left`: the caller went away first. */
	end: "whole" | "broken" | "left";
}
