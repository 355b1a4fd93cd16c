/**
 * The agent's side of the Agent Client Protocol: JSON-RPC 2.0, one message per line. By hand, because loading the SDK
 * would be most of the time the built-in agent takes to start (measured: 150 of 200 ms).
 */
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { isJsonObject, type JsonObject, parseJsonObject } from "../json-object.ts";

export interface RpcMethods {
	/** By method; the result, or a rejection whose message the client is told. */
	requests: Readonly<Record<string, (params: JsonObject) => unknown>>;
	notifications: Readonly<Record<string, (params: JsonObject) => void>>;
}

const parseError = -32_700;
const methodNotFound = -32_601;
const failed = -32_603;

export class RpcServer {
	readonly #input: Readable;
	readonly #output: Writable;
	readonly #methods: RpcMethods;

	constructor(input: Readable, output: Writable, methods: RpcMethods) {
		this.#input = input;
		this.#output = output;
		this.#methods = methods;
	}

	/** Resolves at the end of input. Requests run side by side. */
	async serve(): Promise<void> {
		for await (const line of createInterface({ input: this.#input, crlfDelay: Infinity })) {
			if (line.trim() !== "") void this.#receive(line);
		}
	}

	notify(method: string, params: object): void {
		this.#send({ method, params });
	}

	async #receive(line: string): Promise<void> {
		const message = parseJsonObject(line);
		if (!message) return this.#send({ id: null, error: { code: parseError, message: "Not a JSON object" } });
		const { id, method, params } = message;
		// Without a method it is an answer, and this side asks nothing.
		if (typeof method !== "string") return;
		const read = isJsonObject(params) ? params : {};
		if (id === undefined) this.#methods.notifications[method]?.(read);
		else this.#send({ id, ...(await this.#answer(method, read)) });
	}

	async #answer(method: string, params: JsonObject): Promise<object> {
		const handler = Object.hasOwn(this.#methods.requests, method) ? this.#methods.requests[method] : undefined;
		if (!handler) return { error: { code: methodNotFound, message: `There is no method "${method}"` } };
		try {
			return { result: await handler(params) };
		} catch (error) {
			return { error: { code: failed, message: error instanceof Error ? error.message : String(error) } };
		}
	}

	#send(message: object): void {
		this.#output.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
	}
}
