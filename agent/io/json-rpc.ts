/** JSON-RPC 2.0 between two processes, one message per line. Both sides send requests, answers and notifications. */
import type { Readable, Writable } from "node:stream";
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { type JsonObject, parseJsonObject, textOf } from "#shared/base/schema/parsed-json.ts";

/** The methods that this side offers. */
export interface RpcMethods {
	/** Each method returns its result, or rejects with a message for the other side. Requests run concurrently. */
	requests: Readonly<Record<string, (params: JsonObject) => unknown>>;
	notifications: Readonly<Record<string, (params: JsonObject) => void>>;
}

/** A request failed; the message is the other side's own. */
export class RpcError extends Error {
	override readonly name = "RpcError";
}

/** A peer that sends a longer message is not read any more. */
const maxMessageBytes = 32 * 1_048_576;
const maxErrorLength = 2_000;

const parseError = -32_700;
const methodNotFound = -32_601;
const internalError = -32_603;

const newline = 0x0a;

export class JsonRpc {
	/** Resolves when the other side has ended its output; requests without an answer are rejected then. */
	readonly closed: Promise<void>;
	readonly #output: Writable;
	readonly #methods: RpcMethods;
	readonly #waiting = new Map<number, PromiseWithResolvers<JsonObject>>();
	#isClosed = false;
	#lastId = 0;

	constructor(input: Readable, output: Writable, methods: RpcMethods) {
		this.#output = output;
		this.#methods = methods;
		this.closed = this.#listen(input);
	}

	get isClosed(): boolean {
		return this.#isClosed;
	}

	/** Resolves with the result, or with an empty object when the result is no object. @throws {RpcError} */
	request(method: string, params: object): Promise<JsonObject> {
		if (this.#isClosed) return Promise.reject(closedError());
		const id = ++this.#lastId;
		const answer = Promise.withResolvers<JsonObject>();
		this.#waiting.set(id, answer);
		this.#send({ id, method, params });
		return answer.promise;
	}

	notify(method: string, params: object): void {
		if (!this.#isClosed) this.#send({ method, params });
	}

	async #listen(input: Readable): Promise<void> {
		const lines = new BoundedLines(maxMessageBytes);
		try {
			for await (const chunk of input) for (const line of lines.push(chunk)) this.#receive(line);
		} catch {
			// A broken pipe is the end of the connection, and so is a message that is too long.
		}
		this.#isClosed = true;
		for (const { reject } of this.#waiting.values()) reject(closedError());
		this.#waiting.clear();
	}

	#receive(line: string): void {
		if (line.trim() === "") return;
		const message = parseJsonObject(line);
		if (!message) return this.#send({ id: null, error: { code: parseError, message: "Not a JSON object" } });
		const { id, method, params } = message;
		const read = isJsonObject(params) ? params : {};
		if (typeof method !== "string") this.#resolveRequest(message);
		else if (id === undefined) own(this.#methods.notifications, method)?.(read);
		else void this.#answer(method, read).then((answer) => this.#send({ id, ...answer }));
	}

	#resolveRequest({ id, result, error }: JsonObject): void {
		if (typeof id !== "number") return;
		const waiting = this.#waiting.get(id);
		this.#waiting.delete(id);
		if (!isJsonObject(error)) waiting?.resolve(isJsonObject(result) ? result : {});
		else waiting?.reject(new RpcError(wordsOf(error)));
	}

	async #answer(method: string, params: JsonObject): Promise<object> {
		const handler = own(this.#methods.requests, method);
		if (!handler) return { error: { code: methodNotFound, message: `There is no method "${method}"` } };
		try {
			return { result: await handler(params) };
		} catch (error) {
			return { error: { code: internalError, message: error instanceof Error ? error.message : String(error) } };
		}
	}

	#send(message: object): void {
		this.#output.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
	}
}

class BoundedLines {
	readonly #maxBytes: number;
	#pieces: Buffer[] = [];
	#bytes = 0;

	constructor(maxBytes: number) {
		this.#maxBytes = maxBytes;
	}

	/** Yields the lines that end in this chunk. @throws {RangeError} when a line gets too long. */
	*push(chunk: Buffer): Generator<string> {
		let from = 0;
		for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
			this.#keep(chunk.subarray(from, end));
			from = end + 1;
			const line = Buffer.concat(this.#pieces).toString("utf8");
			this.#pieces = [];
			this.#bytes = 0;
			yield line;
		}
		this.#keep(chunk.subarray(from));
	}

	#keep(piece: Buffer): void {
		this.#bytes += piece.length;
		if (this.#bytes > this.#maxBytes) throw new RangeError(`A message has more than ${this.#maxBytes} bytes`);
		this.#pieces.push(piece);
	}
}

/** Many programs say only that something failed in the message, and what failed in the data. */
function wordsOf({ message, data }: JsonObject): string {
	const { details, message: inner, error } = isJsonObject(data) ? data : {};
	const detail = [details, inner, error, data].map(textOf).find((text) => text !== undefined);
	const words = [textOf(message), detail].filter(
		(text, index, all) => text !== undefined && all.indexOf(text) === index,
	);
	return words.length === 0 ? "It gave no reason" : words.join(": ").slice(0, maxErrorLength);
}

function closedError(): RpcError {
	return new RpcError("The connection is closed");
}

/** Returns a member of the table itself, not one that every object inherits. */
function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
	return Object.hasOwn(table, name) ? table[name] : undefined;
}
