/**
 * Everything that others could read: answers, events, output, arguments. Only its words are kept, those that are long
 * enough for a secret, and each once.
 */
import { type Answer, ApiClient, type RequestOptions } from "../../support/clients/api-client.ts";

/** Characters of base64 and of the tokens made of it; shorter words hold no secret. */
const word = /[\w+/=.~-]{16,}/g;

export class Overheard {
	readonly #words = new Set<string>();

	hear(text: string): void {
		for (const [found] of text.matchAll(word)) this.#words.add(found);
	}

	/** Those of the secrets that were seen; part of a longer word counts. */
	exposed(secrets: readonly string[]): string[] {
		const words = [...this.#words];
		return secrets.filter((secret) => this.#words.has(secret) || words.some((heard) => heard.includes(secret)));
	}
}

/** A client whose answers are overheard. */
export class OverheardClient extends ApiClient {
	readonly #overheard: Overheard;

	constructor(base: string, overheard: Overheard, headers: Record<string, string> = {}) {
		super(base, headers);
		this.#overheard = overheard;
	}

	override async request<T>(method: string, path: string, options?: RequestOptions): Promise<Answer<T>> {
		const answer = await super.request<T>(method, path, options);
		this.#overheard.hear(answer.text);
		this.#overheard.hear(JSON.stringify([...answer.headers]));
		return answer;
	}
}
