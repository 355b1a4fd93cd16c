/**
 * Collects everything that others could read: answers, events, output, arguments. It stores only words that are long
 * enough for a secret, each once.
 */
import { type Answer, ApiClient, type RequestOptions, type Way } from "../../support/clients/api-client.ts";

/** The length of base64 and of tokens in characters; shorter words contain no secret. */
const word = /[\w+/=.~-]{16,}/g;

export class Overheard {
	readonly #words = new Set<string>();

	hear(text: string): void {
		for (const [found] of text.matchAll(word)) this.#words.add(found);
	}

	/** Returns the secrets that were seen; a part of a longer word counts. */
	exposed(secrets: readonly string[]): string[] {
		const words = [...this.#words];
		return secrets.filter((secret) => this.#words.has(secret) || words.some((heard) => heard.includes(secret)));
	}
}

/** A client whose answers are collected. */
export class OverheardClient extends ApiClient {
	readonly #overheard: Overheard;

	constructor(way: string | (() => Way), overheard: Overheard, headers: Record<string, string> = {}) {
		super(way, headers);
		this.#overheard = overheard;
	}

	override async request<T>(method: string, path: string, options?: RequestOptions): Promise<Answer<T>> {
		const answer = await super.request<T>(method, path, options);
		this.#overheard.hear(answer.text);
		this.#overheard.hear(JSON.stringify([...answer.headers]));
		return answer;
	}
}
