/** Reads the usage of a call, and whether the call failed on the way, while its response is passed on. */
import type { ModelWire } from "#shared/wire/models/model-wire.ts";
import type { TokenCounts } from "#shared/wire/models/token-counts.ts";
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { type JsonObject, objectsOf, parseJson } from "#shared/base/schema/parsed-json.ts";
import { eventData } from "./event-splitter.ts";
import { failureWithin } from "../provider/provider-words.ts";
import { mergeUsage, type UsageForm, usageForms } from "./usage-forms.ts";

/** Every wire format reports the usage in a member whose name contains this text; a piece without it is not parsed. */
const mark = Buffer.from('"usage');
/** Every wire format reports a failure in a member, or by an event, of this name. */
const failureMark = Buffer.from('"error"');

/** Receives what the meter finds, before that part of the response is passed on. */
export interface MeterListener {
	/** An event reports usage for the first time. */
	onFirst?: (counts: TokenCounts) => void;
	/** The response began well and then reports a failure, in the provider's own words. */
	onFailure?: (words: string) => void;
}

export class UsageMeter {
	readonly #form: UsageForm;
	readonly #listener: MeterListener;
	#counts: TokenCounts | undefined;
	#received = 0;

	constructor(wire: ModelWire, listener: MeterListener = {}) {
		this.#form = usageForms[wire];
		this.#listener = listener;
	}

	/** The counts are undefined when no usage was reported. */
	get counts(): TokenCounts | undefined {
		return this.#counts;
	}

	/** Counts the bytes of a part of the response. */
	count({ length }: Buffer): void {
		this.#received += length;
	}

	/** The number of received bytes. */
	get received(): number {
		return this.#received;
	}

	readEvent(event: Buffer): void {
		if (!mayReport(event)) return;
		const before = this.#counts;
		this.#read(eventData(event));
		if (!before && this.#counts) this.#listener.onFirst?.(this.#counts);
	}

	/** @param answer A response that is no stream; Gemini's may be a list of what would be events. */
	readWhole(answer: Buffer): void {
		if (mayReport(answer)) this.#read(answer.toString("utf8"));
	}

	#read(text: string): void {
		for (const value of objectsIn(text)) {
			this.#counts = mergeUsage(this.#counts, this.#form(value));
			const failure = failureWithin(value);
			if (failure !== undefined) this.#listener.onFailure?.(failure);
		}
	}
}

function mayReport(bytes: Buffer): boolean {
	return bytes.includes(mark) || bytes.includes(failureMark);
}

/** Returns an empty list for a text that is no JSON: a response may be cut off anywhere. */
function objectsIn(text: string): JsonObject[] {
	const value = parseJson(text);
	return isJsonObject(value) ? [value] : objectsOf(value);
}
