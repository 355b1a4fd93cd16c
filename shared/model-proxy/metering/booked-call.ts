/** One call of the model for the books: an estimate while it is under way, and its usage when it has ended. */
import type { ModelWire } from "#shared/wire/models/model-wire.ts";
import type { TokenCounts } from "#shared/wire/models/token-counts.ts";
import { estimatedUsage } from "./estimated-usage.ts";
import type { CallBounds, CallUnderWay, MeteredCall } from "./metered-call.ts";
import { UsageMeter } from "./usage-meter.ts";

export interface BookedCallDependencies {
	/** The members that do not depend on how the call ends. */
	readonly call: Pick<MeteredCall, "id" | "wire" | "model" | "provider" | "location">;
	/** The bounds are undefined when no budget pays for the call, so nothing is estimated. */
	readonly bounds: CallBounds | undefined;
	/** The largest number of tokens that the model reads. */
	readonly contextWindow: number;
	/** It is called before a call that a budget pays is sent, and when its provider reports usage early. */
	readonly onBegun: (call: CallUnderWay) => Promise<void>;
	/** It is called once. */
	readonly onOver: (call: MeteredCall) => void;
	/** It is called with the provider's words when a response that began well reports a failure. */
	readonly onFailure: (words: string) => void;
}

export class BookedCall {
	readonly meter: UsageMeter;
	readonly #dependencies: BookedCallDependencies;
	#isOver = false;

	constructor(dependencies: BookedCallDependencies) {
		const { call, onFailure } = dependencies;
		this.#dependencies = dependencies;
		this.meter = new UsageMeter(call.wire, {
			onFirst: (counts) => void (reportsEarly(call.wire) && this.#begin(counts)),
			onFailure,
		});
	}

	/** Resolves when the books have the estimate of a call that a budget pays for, and at once without a budget. */
	begin(): Promise<void> {
		return this.#begin(undefined);
	}

	/**
	 * Books the call; only the first call of this method counts.
	 * @param status The status of the provider's response; 0 when there was none.
	 * @param mayBeReceived Whether the provider may have received the call; a call that it did not receive costs
	 * nothing. The default is true.
	 */
	end(status: number, end: MeteredCall["end"], mayBeReceived = true): void {
		if (this.#isOver) return;
		this.#isOver = true;
		const { call, bounds, onOver } = this.#dependencies;
		const { counts: reported, received } = this.meter;
		const isComplete = (end === "whole" && reported !== undefined) || status >= 300 || !mayBeReceived;
		const isEstimated = bounds !== undefined && !isComplete;
		onOver({ ...call, counts: isEstimated ? this.#estimate(reported, received) : reported, isEstimated, status, end });
	}

	async #begin(reported: TokenCounts | undefined): Promise<void> {
		const { call, bounds, onBegun } = this.#dependencies;
		const counts = this.#estimate(reported, 0);
		if (counts) await onBegun({ ...call, counts, isEstimated: bounds !== undefined });
	}

	/** Returns the reported usage, raised to the likely usage if there are bounds. */
	#estimate(reported: TokenCounts | undefined, received: number): TokenCounts | undefined {
		const { bounds, contextWindow } = this.#dependencies;
		return bounds ? estimatedUsage(bounds, contextWindow, { reported, received }) : reported;
	}
}

/** The providers of the other wire formats report the usage in their last event. */
function reportsEarly(wire: ModelWire): boolean {
	return wire === "anthropic" || wire === "gemini";
}
