/** The body of a response on its way to the caller. The meter removes only what the caller did not ask for. */
import type { IncomingHttpHeaders } from "node:http";
import { Transform, type TransformCallback } from "node:stream";
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { parseJsonObject } from "#shared/base/schema/parsed-json.ts";
import { eventData, type EventPiece, EventSplitter } from "./event-splitter.ts";
import type { UsageMeter } from "./usage-meter.ts";

/** A response that is no stream and exceeds this bound is not metered. */
const maxWholeBytes = 33_554_432;
/** The bound on an event that is examined before it is passed on; the event with the usage is far shorter. */
const maxHeldBytes = 65_536;

/** A body that is read while it is passed on. */
export interface MeteredBody extends Transform {
	/** The response was interrupted: what has arrived is read as far as it can be parsed. */
	breakOff(): void;
}

export interface Metered {
	readonly meter: UsageMeter;
	readonly isStreaming: boolean;
	/** The proxy asked for the usage in the place of the caller, who must not see it. */
	readonly isChanged: boolean;
}

export function meteredBody(headers: IncomingHttpHeaders, { meter, isStreaming, isChanged }: Metered): MeteredBody {
	const type = headers["content-type"] ?? "";
	// Some servers give a stream another type, or none; only JSON is surely in one piece.
	const isEvents = type.startsWith("text/event-stream") || (isStreaming && !type.startsWith("application/json"));
	if (!isEvents) return new MeteredWhole(meter, { isHeld: !isStreaming });
	return new MeteredEvents(meter, { isChanged });
}

/** Meters a stream. Every byte is passed on as it comes, unless the event that only reports the usage has to be removed. */
export class MeteredEvents extends Transform implements MeteredBody {
	readonly #events: EventSplitter;
	readonly #meter: UsageMeter;
	readonly #isChanged: boolean;

	/** @param options.isChanged Whether the caller of a stream of `openai-chat` did not ask for its usage. */
	constructor(meter: UsageMeter, { isChanged }: Pick<Metered, "isChanged">) {
		super();
		this.#meter = meter;
		this.#isChanged = isChanged;
		this.#events = new EventSplitter(isChanged ? maxHeldBytes : undefined);
	}

	override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
		this.#meter.count(chunk);
		for (const piece of this.#events.push(chunk)) this.#read(piece, this.#isChanged);
		done(null, this.#isChanged ? undefined : chunk);
	}

	override _flush(done: TransformCallback): void {
		for (const piece of this.#events.end()) this.#read(piece, this.#isChanged);
		done();
	}

	breakOff(): void {
		for (const piece of this.#events.end()) this.#read(piece, false);
	}

	#read({ bytes, isWhole }: EventPiece, isPassedOn: boolean): void {
		if (isWhole) this.#meter.readEvent(bytes);
		if (isPassedOn && !(isWhole && onlyTellsUsage(bytes))) this.push(bytes);
	}
}

export class MeteredWhole extends Transform implements MeteredBody {
	readonly #meter: UsageMeter;
	readonly #isHeld: boolean;
	#chunks: Buffer[] = [];
	#bytes = 0;

	/**
	 * @param options.isHeld Whether the response is passed on only when it is complete. A caller that has the last byte
	 * may leave before the provider has marked it as the last one.
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

	/** Discards what is held. */
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
