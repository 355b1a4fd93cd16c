/** Reads what a call has used, and whether it failed on the way, while its answer goes by. */
import type { ModelWire } from "#shared/models/model-wire.ts";
import type { TokenCounts } from "#shared/models/token-counts.ts";
import { isJsonObject, type JsonObject, objectsOf } from "../../io/json-object.ts";
import { eventData } from "./event-splitter.ts";
import { failureWithin } from "../provider/provider-words.ts";
import { mergeUsage, type UsageForm, usageForms } from "./usage-forms.ts";

/** Part of the name of the member that tells the usage, in every wire format; what does not have it is not parsed. */
const mark = Buffer.from('"usage');
/** Name of the member, or of the kind of event, that tells a failure, likewise. */
const failureMark = Buffer.from('"error"');

/** Told before the part of the answer that says so goes on. */
export interface MeterHears {
	/** An event tells of the usage for the first time. */
	onFirst?: (counts: TokenCounts) => void;
	/** After a good beginning the answer says that it fails, in the provider's own words. */
	onFailure?: (words: string) => void;
}

export class UsageMeter {
	readonly #form: UsageForm;
	readonly #hears: MeterHears;
	#counts: TokenCounts | undefined;
	#received = 0;

	constructor(wire: ModelWire, hears: MeterHears = {}) {
		this.#form = usageForms[wire];
		this.#hears = hears;
	}

	/** Undefined: nothing was told. */
	get counts(): TokenCounts | undefined {
		return this.#counts;
	}

	/** A part of the answer has come. */
	count({ length }: Buffer): void {
		this.#received += length;
	}

	/** Bytes of the answer. */
	get received(): number {
		return this.#received;
	}

	readEvent(event: Buffer): void {
		if (!isTelling(event)) return;
		const before = this.#counts;
		this.#read(eventData(event));
		if (!before && this.#counts) this.#hears.onFirst?.(this.#counts);
	}

	/** @param answer Not a stream; Gemini's may be a list of what would be events. */
	readWhole(answer: Buffer): void {
		if (isTelling(answer)) this.#read(answer.toString("utf8"));
	}

	#read(text: string): void {
		for (const value of objectsIn(text)) {
			this.#counts = mergeUsage(this.#counts, this.#form(value));
			const failure = failureWithin(value);
			if (failure !== undefined) this.#hears.onFailure?.(failure);
		}
	}
}

function isTelling(bytes: Buffer): boolean {
	return bytes.includes(mark) || bytes.includes(failureMark);
}

/** Nothing when it is no JSON: an answer may be cut off anywhere. */
function objectsIn(text: string): JsonObject[] {
	try {
		const value: unknown = JSON.parse(text);
		return isJsonObject(value) ? [value] : objectsOf(value);
	} catch {
		return [];
	}
}
