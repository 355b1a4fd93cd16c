/**
 * Tells clients which parts of a request were ignored because the contract does not name them. Such parts are no error,
 * because clients of other releases and other implementations of the contract send them. Only names are repeated, because a
 * value may be a secret.
 */
import type { Schema } from "#shared/bus/schema.ts";
import { didYouMean } from "#shared/nearest-name.ts";
import { eachUnknown, knownMembers } from "./known-members.ts";
import type { RequestParts } from "./request-params.ts";
import { printable } from "./warning-headers.ts";

/** The most sentences of one answer. */
const maxTold = 10;
/** The most characters of a name that a sentence shows. */
const maxShown = 64;

/** Returns a sentence for each ignored part of a request, at most 11; usually none. */
export type FindIgnored = (parts: Pick<RequestParts, "query" | "body">) => readonly string[];

const none: readonly string[] = [];

/** Prepares the search for one route. @param inBody The parameters in its body; undefined when the body is free. */
export function compileIgnored(inQuery: readonly string[], inBody: Schema | undefined): FindIgnored {
	const known = inBody && knownMembers(inBody);
	const bodyNames = Object.keys(inBody ?? {});
	return ({ query, body }) => {
		const told = new Told();
		for (const name of namesIn(query)) {
			if (inQuery.includes(name)) continue;
			told.add(`Unknown query parameter "${shown(name)}"`, hint(name, inQuery, bodyNames, "body"));
		}
		eachUnknown(body, known, (path, near) => {
			const name = String(path.at(-1));
			const other = path.length === 1 ? inQuery : [];
			told.add(`Unknown member "${shown(path.join("."))}" of the body`, hint(name, near, other, "query"));
		});
		return told.sentences();
	};
}

/** The distinct sentences of one request, as many as are told. */
class Told {
	readonly #sentences = new Set<string>();
	#further = 0;

	/** @param ending Is made only for a sentence that is told. */
	add(beginning: string, ending: () => string): void {
		if (this.#sentences.size >= maxTold) this.#further++;
		else this.#sentences.add(beginning + ending());
	}

	sentences(): readonly string[] {
		if (this.#sentences.size === 0) return none;
		return [...this.#sentences, ...(this.#further > 0 ? [`${this.#further} more unknown names`] : [])];
	}
}

function namesIn(query: string): Iterable<string> {
	return query === "" ? none : new URLSearchParams(query).keys();
}

/** Returns the part of a sentence that says what was probably meant. */
function hint(
	name: string,
	known: Iterable<string>,
	elsewhere: readonly string[],
	place: "query" | "body",
): () => string {
	return () => (elsewhere.includes(name) ? `; it belongs in the ${place}` : didYouMean(known, name));
}

/** Returns a name as a header can have it: printable ASCII, bounded. */
function shown(name: string): string {
	const cut = name.length > maxShown ? `${name.slice(0, maxShown)}...` : name;
	return printable(cut);
}
