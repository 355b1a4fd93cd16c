/** Reads what a call has used while its answer goes by. */
import type { ModelWire } from "#shared/models/model-wire.ts";
import type { TokenCounts } from "#shared/models/token-counts.ts";
import { isJsonObject, type JsonObject, objectsOf } from "../json-object.ts";
import { eventData } from "./event-splitter.ts";
import { mergeUsage, type UsageForm, usageForms } from "./usage-forms.ts";

/** Part of the name of the member that tells the usage, in every wire format; what does not have it is not parsed. */
const mark = Buffer.from('"usage');

export class UsageMeter {
	readonly #form: UsageForm;
	readonly #onFirst: (counts: TokenCounts) => void;
	#counts: TokenCounts | undefined;
	#received = 0;

	/** @param onFirst Called when an event tells of the usage for the first time. */
	constructor(wire: ModelWire, onFirst: (counts: TokenCounts) => void = () => {}) {
		this.#form = usageForms[wire];
		this.#onFirst = onFirst;
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
		if (!event.includes(mark)) return;
		const before = this.#counts;
		this.#read(eventData(event));
		if (!before && this.#counts) this.#onFirst(this.#counts);
	}

	/** @param answer Not a stream; Gemini's may be a list of what would be events. */
	readWhole(answer: Buffer): void {
		if (answer.includes(mark)) this.#read(answer.toString("utf8"));
	}

	#read(text: string): void {
		for (const value of objectsIn(text)) this.#counts = mergeUsage(this.#counts, this.#form(value));
	}
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
