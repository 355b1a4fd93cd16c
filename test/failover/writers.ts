/** Clients that rename sessions and report usage all the time, and remember what was acknowledged. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer, ApiClient } from "../support/clients/api-client.ts";

const pauseMs = 60;

/** The model has a price (config/models.yaml). */
const model = "claude-sonnet-4-6";

interface Report {
	readonly report_id: string;
	readonly tokens: number;
	readonly provider: string;
	readonly model: string;
}

interface View {
	readonly id: string;
	readonly rev: number;
	readonly tokens_used: number;
}

export class Writers {
	readonly #api: ApiClient;
	readonly #podOf: (session: string) => ApiClient;
	readonly #sessions: string[] = [];
	#loops: Promise<void>[] = [];
	#isResting = true;
	/** A report without an acknowledgement is repeated until it has one, and counts once. */
	#report: Report | undefined;
	/** The newest acknowledged revision of each session. */
	readonly acknowledged = new Map<string, number>();
	/** The tokens in acknowledged reports. */
	tokens = 0;
	/** The number of commands and reports. */
	count = 0;
	/** The time at which each name was acknowledged, by `performance.now`. */
	readonly names = new Map<string, number>();
	#spender = "";
	#names = 0;

	/**
	 * @param podOf Returns a client with the rights of the pod of a session's first launch, because reports of others
	 * are in no account.
	 */
	constructor(api: ApiClient, podOf: (session: string) => ApiClient) {
		this.#api = api;
		this.#podOf = podOf;
	}

	/** Makes the sessions. */
	async open(sessions: number): Promise<void> {
		this.#spender = await this.#created();
		for (let n = 0; n < sessions; n++) this.#sessions.push(await this.#created());
	}

	begin(): void {
		this.#isResting = false;
		this.#loops = this.#sessions.map((id) => this.#renameAlways(id));
		this.#loops.push(this.#reportAlways());
	}

	/** Resolves when no request is under way. */
	async rest(): Promise<void> {
		this.#isResting = true;
		await Promise.all(this.#loops);
	}

	/** The acknowledged changes that are missing. */
	async lost(): Promise<string[]> {
		const lost: string[] = [];
		for (const [id, rev] of this.acknowledged) {
			const { body } = await this.#api.get<View>(`/sessions/${id}`);
			if (!(body.rev >= rev)) lost.push(`session ${id}: revision ${rev} was acknowledged, ${body.rev} is there`);
		}
		const { body } = await this.#api.get<View>(`/sessions/${this.#spender}`);
		if (body.tokens_used !== this.tokens)
			lost.push(`${this.tokens} tokens were acknowledged, ${body.tokens_used} are booked`);
		return lost;
	}

	async #created(): Promise<string> {
		const wanted = { name: "failover", source: { type: "git", repo: "" } };
		const headers = { "idempotency-key": randomUUID() };
		for (const end = performance.now() + 60_000; ; await sleep(200)) {
			const answer = await this.#answer(() => this.#api.post<View>("/sessions", wanted, { headers }));
			if (answer?.status === 201) return answer.body.id;
			if (performance.now() > end) throw new Error(`No session was created: ${answer?.status} ${answer?.text}`);
		}
	}

	async #renameAlways(id: string): Promise<void> {
		for (; !this.#isResting; await sleep(pauseMs)) {
			const name = `n${++this.#names}`;
			const answer = await this.#answer(() => this.#api.put<View>(`/sessions/${id}`, { name }));
			if (answer?.status !== 200) continue;
			this.count++;
			this.acknowledged.set(id, answer.body.rev);
			this.names.set(name, performance.now());
		}
	}

	async #reportAlways(): Promise<void> {
		const pod = this.#podOf(this.#spender);
		for (; !this.#isResting || this.#report; await sleep(pauseMs)) {
			this.#report ??= { report_id: randomUUID(), tokens: 1 + (this.count % 7), provider: "cloud", model };
			const report = this.#report;
			const answer = await this.#answer(() => pod.post(`/sessions/${this.#spender}/usage`, report));
			if (answer?.status !== 201) continue;
			this.count++;
			this.tokens += report.tokens;
			this.#report = undefined;
		}
	}

	/** Returns undefined when there is no answer and the outcome of the request is unknown. */
	#answer<T>(send: () => Promise<Answer<T>>): Promise<Answer<T> | undefined> {
		return send().catch(() => undefined);
	}
}
