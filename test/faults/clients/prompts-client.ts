/**
 * A client that saves, changes and deletes prompts, one after the other, and compares what the platform finds with what
 * it has acknowledged.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Prompt } from "#shared/contracts/blueprints/prompts.ts";
import type { Answer, ApiClient } from "../../support/clients/api-client.ts";
import { answered } from "../answered.ts";
import type { Random } from "../random.ts";

export class PromptsClient {
	readonly #api: ApiClient;
	readonly #random: Random;
	/** Answers that no client may ever see. */
	readonly wrong: string[] = [];

	constructor(api: ApiClient, random: Random) {
		this.#api = api;
		this.#random = random;
	}

	/** Runs until the signal aborts; a prompt that was begun is brought to its end. */
	async run(signal: AbortSignal): Promise<void> {
		while (!signal.aborted) {
			await this.#live();
			await sleep(this.#random.between(50, 800), undefined, { signal }).catch(() => {});
		}
	}

	/** The life of one prompt. */
	async #live(): Promise<void> {
		const headers = { "idempotency-key": randomUUID() };
		const [first, second] = [randomUUID(), randomUUID()];
		const body = { name: "of a fault run", content: first };
		const { body: prompt } = await this.#request<Prompt>(201, () =>
			this.#api.request("POST", "/prompts", { headers, body }),
		);
		await this.#expectHits(first, 1);
		await this.#request(200, () => this.#api.put(`/prompts/${prompt.id}`, { content: second }));
		await this.#expectHits(first, 0);
		await this.#expectHits(second, 1);
		// A repeated request finds nothing left to delete.
		await this.#request([204, 404], () => this.#api.delete(`/prompts/${prompt.id}`));
		await this.#expectHits(second, 0);
	}

	async #expectHits(text: string, count: number): Promise<void> {
		const found = await this.#request<Prompt[]>(200, () => this.#api.get("/prompts/search", { query: { q: text } }));
		if (found.body.length !== count) this.wrong.push(`a search finds ${found.body.length} prompts instead of ${count}`);
	}

	async #request<T>(status: number | number[], send: () => Promise<Answer<T>>): Promise<Answer<T>> {
		const answer = await answered(send);
		if (![status].flat().includes(answer.status)) this.wrong.push(`prompts: ${answer.status} ${answer.text}`);
		return answer;
	}
}
