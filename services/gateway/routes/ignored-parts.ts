/**
 * Tells clients which parts of a request were ignored because the contract does not name them. Such parts are no error,
 * because clients of other releases and other implementations of the contract send them. Only names are repeated, because a
 * value may be a secret.
 */
import type { Schema } from "#shared/base/schema/schema.ts";
import { didYouMean } from "#shared/base/nearest-name.ts";
import { knownMembers, unknownMembers } from "./known-members.ts";
import type { RequestParts } from "./request-params.ts";
import { printable } from "./warning-headers.ts";

/** The most sentences of one answer. */
const maxTold = 10;
/** The most further names that are counted. */
const maxCounted = 1_000;
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
			const sentence = () => `Unknown query parameter "${shown(name)}"${hint(name, inQuery, bodyNames, "body")}`;
			if (!told.add(sentence)) break;
		}
		for (const { path, known: near } of unknownMembers(body, known)) {
			const name = String(path.at(-1));
			const other = path.length === 1 ? inQuery : [];
			const sentence = () => `Unknown member "${shown(path.join("."))}" of the body${hint(name, near, other, "query")}`;
			if (!told.add(sentence)) break;
		}
		return told.sentences();
	};
}

/** The distinct sentences of one request, as many as are told. */
class Told {
	readonly #sentences = new Set<string>();
	#further = 0;

	/**
	 * Counts a name. @param sentence Is made only when it is told. @returns Whether further names are counted; with false, the
	 * search ends.
	 */
	add(sentence: () => string): boolean {
		if (this.#sentences.size >= maxTold) this.#further++;
		else this.#sentences.add(sentence());
		return this.#further <= maxCounted;
	}

	sentences(): readonly string[] {
		if (this.#sentences.size === 0) return none;
		if (this.#further === 0) return [...this.#sentences];
		const count = this.#further > maxCounted ? `More than ${maxCounted}` : this.#further;
		return [...this.#sentences, `${count} more unknown names`];
	}
}

function namesIn(query: string): Iterable<string> {
	return query === "" ? none : new URLSearchParams(query).keys();
}

/** Returns the part of a sentence that says what was probably meant. */
function hint(name: string, known: Iterable<string>, elsewhere: readonly string[], place: "query" | "body"): string {
	return elsewhere.includes(name) ? `; it belongs in the ${place}` : didYouMean(known, name);
}

/** Returns a name as a header can have it: printable ASCII, bounded. */
function shown(name: string): string {
	const cut = name.length > maxShown ? `${name.slice(0, maxShown)}...` : name;
	return printable(cut);
}
