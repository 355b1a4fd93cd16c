/** Sums up the lines of a section while it is written or read. */
import { createHash } from "node:crypto";
import type { SectionSums } from "./archive-format.ts";

/** The sums so far. */
export class RunningSums {
	readonly #hash = createHash("sha256");
	#entries = 0;
	#bytes = 0;

	/** @param line The line of an entry with its line feed. */
	add(line: string): void {
		this.#hash.update(line);
		this.#entries++;
		this.#bytes += Buffer.byteLength(line);
	}

	get entries(): number {
		return this.#entries;
	}

	/** Returns the sums; nothing can be added afterwards. */
	end(): SectionSums {
		return { entries: this.#entries, bytes: this.#bytes, sha256: this.#hash.digest("hex") };
	}
}

/** Whether two sections have the same content. */
export function isSameSums(a: SectionSums, b: SectionSums): boolean {
	return a.entries === b.entries && a.bytes === b.bytes && a.sha256 === b.sha256;
}
