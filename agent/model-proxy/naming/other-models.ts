/** Says in the session's log which other models its callers name: once for each, and not of too many. */
import type { LogBuffer } from "../../io/log-buffer.ts";

const maxTold = 20;
const maxNameLength = 100;

export class OtherModels {
	readonly #model: string;
	readonly #log: LogBuffer;
	readonly #told = new Set<string>();

	/** @param model The session's. */
	constructor(model: string, log: LogBuffer) {
		this.#model = model;
		this.#log = log;
	}

	/** @param named As the caller wrote it; it may be the session's model. */
	hear(named: string): void {
		if (named === this.#model) return;
		const short = JSON.stringify(named.slice(0, maxNameLength));
		if (this.#told.has(short) || this.#told.size >= maxTold) return;
		this.#told.add(short);
		this.#log.add("INFO", "model-proxy", `Calls of ${short} are calls of the session's model "${this.#model}"`);
	}
}
