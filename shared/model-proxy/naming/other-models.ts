/** Logs which models other than the session's its callers name: each name once, and a bounded number of names. */
import type { LogBuffer } from "#shared/wire/pod/log/log-buffer.ts";

const maxLogged = 20;
const maxNameLength = 100;

export class OtherModels {
	readonly #model: string;
	readonly #log: LogBuffer;
	readonly #logged = new Set<string>();

	constructor(model: string, log: LogBuffer) {
		this.#model = model;
		this.#log = log;
	}

	/** @param named The name that the caller wrote; it may be that of the session's model. */
	add(named: string): void {
		if (named === this.#model) return;
		const short = JSON.stringify(named.slice(0, maxNameLength));
		if (this.#logged.has(short) || this.#logged.size >= maxLogged) return;
		this.#logged.add(short);
		this.#log.add("INFO", "model-proxy", `Calls of ${short} are calls of the session's model "${this.#model}"`);
	}
}
