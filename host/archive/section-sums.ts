/** Sums up the lines of a section while it is written or read. */
import { createHash } from "node:crypto";
import type { SectionSums } from "./archive-format.ts";

export class RunningSums {
	readonly #hash = createHash("sha256");
	#entries = 0;

	/** @param line The line of an entry with its line feed. */
	add(line: string): void {
		this.#hash.update(line);
		this.#entries++;
	}

	get entries(): number {
		return this.#entries;
	}

	/** Returns the sums; nothing can be added afterwards. */
	end(): SectionSums {
		return { entries: this.#entries, sha256: this.#hash.digest("hex") };
	}
}

/** Whether two sections have the same content. */
export function isSameSums(a: SectionSums, b: SectionSums): boolean {
	return a.entries === b.entries && a.sha256 === b.sha256;
}
