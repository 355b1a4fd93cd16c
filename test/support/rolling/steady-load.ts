/** Sends requests at a fixed rate, whatever the answers do, and keeps account of them. */
import { randomUUID } from "node:crypto";
import { inspect } from "node:util";
import type { ApiClient } from "../clients/api-client.ts";

/** A request that was not answered as it should have been. */
export interface Failure {
	readonly request: string;
	/** The status and the text of the answer, or the error. */
	readonly answer: string;
	/** Milliseconds since the begin of the load. */
	readonly at: number;
}

const reads = ["/sessions", "/tracker/mappings?limit=5", "/prompts", "/stats"];

/** The load: one request in two is a read, and the others are changes with a key. */
export class SteadyLoad {
	/** The repositories whose mappings were acknowledged, by the id of the mapping. */
	readonly acknowledged = new Map<string, string>();
	readonly failures: Failure[] = [];
	/** How many requests were answered as they should have been. */
	good = 0;
	/** The longest time of a good answer, in milliseconds. */
	slowest = 0;
	readonly #api: ApiClient;
	readonly #begun = performance.now();
	readonly #underWay = new Set<Promise<void>>();
	#sent = 0;
	readonly #timer: NodeJS.Timeout;

	/** @param rate Requests in a second. */
	constructor(api: ApiClient, { rate }: { rate: number }) {
		this.#api = api;
		// A busy machine sends later requests at once, so that the count of requests is the same.
		this.#timer = setInterval(() => {
			const due = Math.floor(((performance.now() - this.#begun) / 1_000) * rate);
			while (this.#sent < due) this.#send(this.#sent++);
		}, 5);
	}

	/** Ends it; resolves when everything is answered. */
	async end(): Promise<void> {
		clearInterval(this.#timer);
		await Promise.all(this.#underWay);
	}

	/** The figures so far, in words. */
	get summary(): string {
		const seconds = ((performance.now() - this.#begun) / 1_000).toFixed(1);
		const failed = this.failures.length;
		return `${this.good + failed} requests in ${seconds} s, ${failed} failed, the slowest good one took ${Math.round(this.slowest)} ms`;
	}

	/** Returns the failures in words, the first ones of many; empty when nothing failed. */
	firstFailures(): string {
		const words = this.failures.slice(0, 10).map(({ request, answer, at }) => `at ${at} ms, ${request}: ${answer}`);
		return [...(words.length > 0 ? [`${this.failures.length} requests failed`] : []), ...words].join("\n");
	}

	/** Resolves with what is wrong with the stored changes: an acknowledged one that is missing, and one that is there twice. */
	async doubted(): Promise<string[]> {
		const stored: { id: string; repo_url: string }[] = [];
		for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
			const query = { limit: 200, ...(cursor !== undefined && { cursor }) };
			const { body, headers } = await this.#api.get<typeof stored>("/tracker/mappings", { query });
			stored.push(...body);
			cursor = /[?&]cursor=([^&>]+)[^>]*>; rel="next"/.exec(headers.get("link") ?? "")?.[1];
			if (cursor !== undefined) cursor = decodeURIComponent(cursor);
		}
		const seen = new Map(Map.groupBy(stored, ({ repo_url }) => repo_url).entries());
		const doubled = [...seen].filter(([, all]) => all.length > 1).map(([url]) => `twice: ${url}`);
		const missing = [...this.acknowledged.values()].filter((url) => !seen.has(url)).map((url) => `missing: ${url}`);
		return [...doubled, ...missing];
	}

	#send(number: number): void {
		const sent = number % 2 === 1 ? this.#map() : this.#read(reads[(number / 2) % reads.length] ?? "/sessions");
		this.#underWay.add(sent);
		void sent.finally(() => this.#underWay.delete(sent));
	}

	#read(path: string): Promise<void> {
		return this.#counted(`GET ${path}`, 200, () => this.#api.get(path));
	}

	async #map(): Promise<void> {
		const name = randomUUID();
		const body = { repo_url: `https://git.example/${name}`, project_id: "ROLL" };
		const headers = { "idempotency-key": name };
		await this.#counted(`POST /tracker/mappings ${name}`, 201, async () => {
			const answer = await this.#api.post<{ id?: string }>("/tracker/mappings", body, { headers });
			if (answer.status === 201) this.acknowledged.set(answer.body.id ?? "", body.repo_url);
			return answer;
		});
	}

	async #counted(
		request: string,
		expected: number,
		send: () => Promise<{ status: number; text: string }>,
	): Promise<void> {
		const begun = performance.now();
		const answer = await send().then(
			({ status, text }) => (status === expected ? undefined : `${status} ${text}`),
			(error: unknown) => inspect(error),
		);
		const ended = performance.now();
		if (answer === undefined) {
			this.good++;
			this.slowest = Math.max(this.slowest, ended - begun);
		} else this.failures.push({ request, answer, at: Math.round(begun - this.#begun) });
	}
}
