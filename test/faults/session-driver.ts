/**
 * A client with one session: sends random commands, one after the other, and remembers what was acknowledged. A command
 * without an answer is repeated with its Idempotency-Key until there is one, so that it is always known what holds.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer, ApiClient } from "../support/api-client.ts";
import type { SessionView } from "../support/session-steps.ts";
import type { Random } from "./random.ts";

/** What the last acknowledged command asks for. */
export type Wanted = "running" | "stopped" | "archived" | "deleted";

const wantedBy = { start: "running", stop: "stopped", archive: "archived", restore: "stopped" } as const;
type Command = keyof typeof wantedBy;

/** What is worth trying; what is not allowed is refused, and that is part of the load. */
const likely: Record<Wanted, readonly (Command | "message" | "delete" | "create")[]> = {
	running: ["message", "message", "stop", "stop", "archive", "delete", "start"],
	stopped: ["start", "start", "start", "archive", "delete", "restore"],
	archived: ["restore", "restore", "delete", "stop"],
	deleted: ["create"],
};

const answerWithinMs = 60_000;

export class SessionDriver {
	readonly #api: ApiClient;
	readonly #random: Random;
	readonly repo: string;
	readonly name: string;
	id = "";
	wanted: Wanted = "deleted";
	/** Contents of acknowledged messages of the present session. */
	messages: string[] = [];
	acknowledged = 0;
	/** Milliseconds of the slowest answer. */
	slowestMs = 0;
	/** What no client may ever see. */
	readonly wrong: string[] = [];

	constructor(api: ApiClient, random: Random, name: string, repo: string) {
		this.#api = api;
		this.#random = random;
		this.name = name;
		this.repo = repo;
	}

	/** Until the signal aborts; what was begun is brought to its answer. */
	async run(signal: AbortSignal): Promise<void> {
		while (!signal.aborted) {
			await this.#step();
			await sleep(this.#random.between(20, 400), undefined, { signal }).catch(() => {});
		}
	}

	async #step(): Promise<void> {
		const what = this.#random.pick(likely[this.wanted]);
		if (what === "create") return this.#create();
		if (what === "message") return this.#message();
		if (what === "delete") return this.#delete();
		return this.#command(what, this.#random.next() < 0.5 ? 3 : 1);
	}

	async #create(): Promise<void> {
		const body = { name: this.name, source: { type: "git", repo: this.repo } };
		const answer = await this.#answered<SessionView>("POST", "/sessions", body);
		if (answer.status !== 201) return void this.wrong.push(`create: ${answer.status} ${answer.text}`);
		this.id = answer.body.id;
		this.messages = [];
		this.#acknowledge("running");
	}

	/** The same command by several clients at once: one of them gets through at most. */
	async #command(command: Command, clients: number): Promise<void> {
		const path = `/sessions/${this.id}/${command}`;
		const answers = await Promise.all(Array.from({ length: clients }, () => this.#answered("POST", path)));
		const taken = answers.filter(({ status }) => status === 200).length;
		const odd = answers.find(({ status }) => status !== 200 && status !== 409);
		if (odd) this.wrong.push(`${command}: ${odd.status} ${odd.text}`);
		if (taken > 1 && command !== "start") this.wrong.push(`${command} was taken ${taken} times`);
		if (taken > 0) this.#acknowledge(wantedBy[command]);
	}

	async #delete(): Promise<void> {
		const body = { cleanup: ["workspace_storage"] };
		const { status, text } = await this.#answered("DELETE", `/sessions/${this.id}`, body);
		// Not found is the answer to a repeat whose first answer was lost.
		if (status !== 204 && status !== 404) return void this.wrong.push(`delete: ${status} ${text}`);
		this.#acknowledge("deleted");
	}

	/** Messages have no key: one without an answer may or may not have arrived. */
	async #message(): Promise<void> {
		const content = `$ echo ${randomUUID()}`;
		const answer = await this.#tried("POST", `/sessions/${this.id}/messages`, { content }, {});
		if (answer?.status === 200) this.messages.push(content);
	}

	#acknowledge(wanted: Wanted): void {
		this.wanted = wanted;
		this.acknowledged++;
	}

	async #answered<T>(method: string, path: string, body?: unknown): Promise<Answer<T>> {
		const headers = { "idempotency-key": randomUUID() };
		const end = performance.now() + answerWithinMs;
		while (performance.now() < end) {
			const answer = await this.#tried<T>(method, path, body, headers);
			if (answer && answer.status < 500) return answer;
			await sleep(50);
		}
		throw new Error(`No answer to ${method} ${path} within ${answerWithinMs} ms`);
	}

	/** Undefined when the connection breaks. */
	async #tried<T>(
		method: string,
		path: string,
		body: unknown,
		headers: Record<string, string>,
	): Promise<Answer<T> | undefined> {
		const since = performance.now();
		const answer = await this.#api.request<T>(method, path, { body, headers }).catch(() => undefined);
		this.slowestMs = Math.max(this.slowestMs, performance.now() - since);
		if (answer && answer.status >= 500 && ![502, 503, 504].includes(answer.status))
			this.wrong.push(`${method} ${path}: ${answer.status} ${answer.text}`);
		return answer;
	}
}
