/**
 * A client that writes usage, chronicles, a timeline and reservations of a session and its pod. Everything that was
 * acknowledged must be in the books, and usage once only, even if it was sent repeatedly.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer, ApiClient } from "../../support/clients/api-client.ts";
import { answered } from "../answered.ts";
import type { Random } from "../random.ts";

/**
 * The limit of the session and its owner in US dollars: high enough for everything, so that every account is asked.
 */
const limit = 100_000;
/** The model has a price, because a model without one needs no reservation (config/models.yaml). */
const model = "claude-sonnet-4-6";
/** Less than the smallest reservation, in US dollars. */
const cent = 0.01;
/** The bound on chronicles and entries of the timeline, because lists are bounded. */
const maxKept = 100;

type Request = [method: string, path: string, body?: unknown];

interface Books {
	tokens_used: number;
	budget: { reserved: number };
}

export class BooksClient {
	readonly #api: ApiClient;
	readonly #podOf: (session: string) => ApiClient;
	readonly #random: Random;
	#session = "";
	/** Another session has the chronicles: each new chronicle begins a timeline of its own. */
	#chronicled = "";
	#tokens = 0;
	/**
	 * The dollars of reservations whose first answer was lost. A process that was cut off may hold them once more after
	 * they are released, until they expire in ten minutes.
	 */
	#heldTwice = 0;
	/** The summaries by chronicle. */
	readonly #summaries = new Map<string, string>();
	readonly #labels: string[] = [];
	readonly #wrong: string[] = [];
	/** The reports that were accepted. */
	acknowledged = 0;

	/** @param podOf Returns a client with the rights of the pod of a session's first launch. */
	constructor(api: ApiClient, podOf: (session: string) => ApiClient, random: Random) {
		this.#api = api;
		this.#podOf = podOf;
		this.#random = random;
	}

	/** Makes the sessions and limits. */
	async open(): Promise<void> {
		this.#session = await this.#created("books");
		this.#chronicled = await this.#created("chronicled");
		await this.#sent(200, ["PUT", "/budgets/users/dev-user", { limit }]);
	}

	/** Runs until the signal aborts; requests that are under way are completed. */
	async run(signal: AbortSignal): Promise<void> {
		const kinds = [() => this.#use(), () => this.#use(), () => this.#tell(), () => this.#note(), () => this.#reserve()];
		while (!signal.aborted) {
			await this.#random.pick(kinds)();
			await sleep(this.#random.between(20, 300), undefined, { signal }).catch(() => {});
		}
	}

	/** The faults in the books. */
	async wrong(): Promise<string[]> {
		const session = await this.#api.get<Books>(`/sessions/${this.#session}`);
		const timeline = await this.#api.get<{ events: unknown[] }>(`/chronicles/${this.#session}/timeline`);
		const own = await this.#api.get<{ user: { reserved: number } }>("/budgets");
		const { tokens_used, budget } = session.body;
		const lost = this.#labels.filter((label) => !timeline.text.includes(label));
		return [
			...this.#wrong,
			...(tokens_used === this.#tokens
				? []
				: [`${this.#tokens} tokens were reported, ${tokens_used} are in the books`]),
			...lost.map((label) => `the timeline lost the entry ${label}`),
			...(budget.reserved === 0 ? [] : [`the session still holds ${budget.reserved} dollars`]),
			...(own.body.user.reserved <= this.#heldTwice + cent
				? []
				: [`the day still holds ${own.body.user.reserved} dollars, ${this.#heldTwice} of them may have come late`]),
			...(await this.#lostChronicles()),
		];
	}

	/** Resolves with the id of a new session. */
	async #created(name: string): Promise<string> {
		const wanted = { name, source: { type: "git", repo: "" }, budget: { limit } };
		return (await this.#sent<{ id: string }>(201, ["POST", "/sessions", wanted])).body.id;
	}

	async #lostChronicles(): Promise<string[]> {
		const lost: string[] = [];
		for (const [id, summary] of this.#summaries) {
			const { text } = await this.#api.get(`/chronicles/${id}`);
			if (!text.includes(summary)) lost.push(`chronicle ${id} lost its summary ${summary}`);
		}
		return lost;
	}

	/** Sends the same report twice, which counts once. */
	async #use(): Promise<void> {
		const tokens = Math.ceil(this.#random.between(1, 5_000));
		const report = { tokens, provider: "cloud", model, report_id: randomUUID() };
		const path = `/sessions/${this.#session}/usage`;
		const first = await this.#sent<{ id: string }>(201, ["POST", path, report]);
		this.#tokens += tokens;
		if (this.#random.next() < 0.7) return;
		const again = await this.#sent<{ id: string }>(201, ["POST", path, report]);
		if (again.text !== first.text) this.#wrong.push(`report ${report.report_id}: ${first.text}, then ${again.text}`);
	}

	async #tell(): Promise<void> {
		if (this.#summaries.size >= maxKept) return;
		const draft = { session_id: this.#chronicled };
		const { body } = await this.#sent<{ id: string }>(201, ["POST", "/chronicles", draft]);
		const summary = randomUUID();
		await this.#sent(200, ["PATCH", `/chronicles/${body.id}`, { summary }]);
		this.#summaries.set(body.id, summary);
	}

	async #note(): Promise<void> {
		if (this.#labels.length >= maxKept) return;
		const label = randomUUID();
		const path = `/chronicles/${this.#session}/timeline`;
		await this.#sent(201, ["POST", path, { t: this.#labels.length, type: "message", label }]);
		this.#labels.push(label);
	}

	/** A pod whose session has failed gets no reservation. */
	async #reserve(): Promise<void> {
		const path = `/sessions/${this.#session}/reservations`;
		const id = randomUUID();
		const pod = this.#podOf(this.#session);
		let tries = 0;
		const { status, body } = await answered(() => {
			tries++;
			return pod.post<{ amount?: number }>(path, { reservation_id: id, model });
		});
		if (tries > 1) this.#heldTwice += body.amount ?? 0;
		if (status < 300) await this.#sent(204, ["DELETE", `${path}/${id}`], pod);
	}

	/** Sends method, path and body until there is an answer. */
	async #sent<T>(expected: number, [method, path, body]: Request, api = this.#api): Promise<Answer<T>> {
		const headers = { "idempotency-key": randomUUID() };
		const answer = await answered(() => api.request<T>(method, path, { body, headers }));
		if (answer.status === expected) this.acknowledged++;
		else this.#wrong.push(`${method} ${path}: ${answer.status} ${answer.text}`);
		return answer;
	}
}
