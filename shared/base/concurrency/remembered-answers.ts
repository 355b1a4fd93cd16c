/** Remembers what another service has answered, for a while and as long as nobody asks for newer answers. */
import { LRUCache } from "lru-cache";
import { monotonic } from "../clock.ts";

/** The most questions that are remembered; the one asked longest ago is forgotten first. */
const maxQuestions = 10_000;

/**
 * The answers of one kind, by their questions. After a failure a question is asked again: somebody who is added as a member
 * need not wait.
 */
export class RememberedAnswers<T> {
	readonly #freshMs: number;
	readonly #keepsNone: boolean;
	readonly #asked = new LRUCache<string, { readonly at: number; readonly answer: Promise<T> }>({ max: maxQuestions });

	/**
	 * @param freshMs An answer is used for this time after its question, in milliseconds.
	 * @param keepsNone Whether the answer undefined is remembered, too.
	 */
	constructor(freshMs: number, keepsNone = true) {
		this.#freshMs = freshMs;
		this.#keepsNone = keepsNone;
	}

	/** Returns the remembered answer to a question, or asks when there is none that is new enough. */
	to(question: string, ask: () => Promise<T>): Promise<T> {
		const known = this.#asked.get(question);
		if (known && monotonic() - known.at < this.#freshMs) return known.answer;
		const asked = { at: monotonic(), answer: ask() };
		this.#asked.set(question, asked);
		const drop = () => {
			if (this.#asked.peek(question) === asked) this.#asked.delete(question);
		};
		asked.answer.then((answer) => {
			if (answer === undefined && !this.#keepsNone) drop();
		}, drop);
		return asked.answer;
	}

	forget(question: string): void {
		this.#asked.delete(question);
	}
}
