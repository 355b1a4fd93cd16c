/** The body of an answer on its way to the caller, read by the meter and changed only where it says so. */
import type { IncomingHttpHeaders } from "node:http";
import { Transform, type TransformCallback } from "node:stream";
import { isJsonObject, parseJsonObject } from "../../io/json-object.ts";
import { eventData, EventSplitter } from "./event-splitter.ts";
import type { UsageMeter } from "./usage-meter.ts";

/** An answer that is no stream and longer than this is not metered. */
const maxWholeBytes = 33_554_432;
/** Events that are looked at before they go on; the one with the usage is far shorter. */
const maxHeldBytes = 65_536;

/** A body that is read on its way. */
export interface MeteredBody extends Transform {
	/** The answer has broken off: what has come is read as far as it makes sense. */
	breakOff(): void;
}

export interface Metered {
	readonly meter: UsageMeter;
	readonly isStreaming: boolean;
	/** The usage was asked for on the caller's behalf, who must not see it. */
	readonly isChanged: boolean;
}

/** @param headers Of the answer. */
export function meteredBody(headers: IncomingHttpHeaders, { meter, isStreaming, isChanged }: Metered): MeteredBody {
	const type = headers["content-type"] ?? "";
	// Some servers give a stream another name, or none; only JSON is surely in one piece.
	const isEvents = type.startsWith("text/event-stream") || (isStreaming && !type.startsWith("application/json"));
	if (!isEvents) return new MeteredWhole(meter, { isHeld: !isStreaming });
	return isChanged ? new MeteredEventsWithoutUsage(meter) : new MeteredEvents(meter);
}

/** A stream; every byte goes on as it comes. */
export class MeteredEvents extends Transform implements MeteredBody {
	readonly #events = new EventSplitter();
	readonly #meter: UsageMeter;

	constructor(meter: UsageMeter) {
		super();
		this.#meter = meter;
	}

	override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
		this.#meter.count(chunk);
		for (const { bytes, isWhole } of this.#events.push(chunk)) if (isWhole) this.#meter.readEvent(bytes);
		done(null, chunk);
	}

	override _flush(done: TransformCallback): void {
		this.breakOff();
		done();
	}

	breakOff(): void {
		for (const { bytes, isWhole } of this.#events.end()) if (isWhole) this.#meter.readEvent(bytes);
	}
}

/** A stream of `openai-chat` whose caller did not ask for the usage: the event that only tells it is left out. */
export class MeteredEventsWithoutUsage extends Transform implements MeteredBody {
	readonly #events = new EventSplitter(maxHeldBytes);
	readonly #meter: UsageMeter;

	constructor(meter: UsageMeter) {
		super();
		this.#meter = meter;
	}

	override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
		this.#meter.count(chunk);
		for (const piece of this.#events.push(chunk)) this.#pass(piece.bytes, piece.isWhole);
		done();
	}

	override _flush(done: TransformCallback): void {
		for (const piece of this.#events.end()) this.#pass(piece.bytes, piece.isWhole);
		done();
	}

	breakOff(): void {
		for (const { bytes, isWhole } of this.#events.end()) if (isWhole) this.#meter.readEvent(bytes);
	}

	#pass(bytes: Buffer, isWhole: boolean): void {
		if (isWhole) this.#meter.readEvent(bytes);
		if (!isWhole || !onlyTellsUsage(bytes)) this.push(bytes);
	}
}

/** An answer in one piece. */
export class MeteredWhole extends Transform implements MeteredBody {
	readonly #meter: UsageMeter;
	readonly #isHeld: boolean;
	#chunks: Buffer[] = [];
	#bytes = 0;

	/**
	 * @param options.isHeld It goes on when it is whole, because a caller that has its last byte may already be gone
	 * before the provider has said that this was the last one.
	 */
	constructor(meter: UsageMeter, { isHeld }: { isHeld: boolean }) {
		super();
		this.#meter = meter;
		this.#isHeld = isHeld;
	}

	override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
		this.#meter.count(chunk);
		this.#bytes += chunk.length;
		this.#chunks.push(chunk);
		if (!this.#isHeld) this.push(chunk);
		if (this.#bytes > maxWholeBytes) this.#giveUp();
		done();
	}

	override _flush(done: TransformCallback): void {
		this.breakOff();
		this.#giveUp();
		done();
	}

	breakOff(): void {
		if (this.#bytes <= maxWholeBytes) this.#meter.readWhole(Buffer.concat(this.#chunks));
	}

	/** Keeps nothing any more. */
	#giveUp(): void {
		if (this.#isHeld) for (const chunk of this.#chunks) this.push(chunk);
		this.#chunks = [];
	}
}

function onlyTellsUsage(event: Buffer): boolean {
	if (!event.includes('"usage"')) return false;
	const { choices, usage } = parseJsonObject(eventData(event)) ?? {};
	return Array.isArray(choices) && choices.length === 0 && isJsonObject(usage);
}
