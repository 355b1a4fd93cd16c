/** The servers that one launch was refused, as its owner is told: the first ones by name, further ones as a number. */
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { isCount } from "#shared/base/schema/parsed-json.ts";

/** The servers that are told by name. */
const maxNamed = 10;

/** The forms of the sentences. */
const sentence =
	/^(The connection to \S+ was refused: |A further connection was refused$|\d+ or more further connections were refused$)/;

/** Whether a sentence is one of these notes, which are written again as a whole. */
export function isRefusalNote(text: string): boolean {
	return sentence.test(text);
}

/** The notes of one launch. They are kept in a file, because the launch outlives this process. */
export class RefusalNotes {
	readonly #named = new Map<string, string>();
	#further: number;

	/** @param kept What {@link toJSON} has returned in an earlier process. */
	constructor(kept?: unknown) {
		const { named, further } = isJsonObject(kept) ? kept : {};
		for (const [destination, words] of Object.entries(isJsonObject(named) ? named : {}).slice(0, maxNamed))
			this.#named.set(destination, String(words));
		this.#further = isCount(further) ? further : 0;
	}

	/** Takes a refusal. @returns Whether the sentences have changed, which a session cannot bring about often. */
	add(destination: string, words: string): boolean {
		if (this.#named.has(destination)) return false;
		if (this.#named.size < maxNamed) {
			this.#named.set(destination, words);
			return true;
		}
		return isPowerOfTen(++this.#further);
	}

	get sentences(): string[] {
		const named = [...this.#named].map(
			([destination, words]) => `The connection to ${destination} was refused: ${words}`,
		);
		if (this.#further === 0) return named;
		const shown = 10 ** Math.floor(Math.log10(this.#further));
		const words =
			shown === 1 ? "A further connection was refused" : `${shown} or more further connections were refused`;
		return [...named, words];
	}

	toJSON(): object {
		return { named: Object.fromEntries(this.#named), further: this.#further };
	}
}

function isPowerOfTen(value: number): boolean {
	return Number.isInteger(Math.log10(value));
}
