/** The other user: acts like a person, measures each action, and records failures. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer, ApiClient } from "../support/clients/api-client.ts";
import { eventually } from "../support/eventually.ts";
import { runningSession, type SessionView } from "../support/platform/session-steps.ts";
import type { SseClient } from "../support/clients/sse-client.ts";
import type { TestPlatform } from "../support/platform/start-platform.ts";

/**
 * The measured actions: reading a session, creating one, receiving a change on the stream, and waiting until a
 * session runs.
 */
export const works = ["get", "post", "stream", "start"] as const;
export type Work = (typeof works)[number];

export interface Measured {
	/** The times in milliseconds. */
	readonly times: Readonly<Record<Work, number[]>>;
	/** The failures as sentences. */
	readonly failures: string[];
}

export class Victim implements AsyncDisposable {
	readonly id: string;
	readonly #api: ApiClient;
	readonly #stream: SseClient;
	#changes = 0;

	private constructor(id: string, api: ApiClient, stream: SseClient) {
		this.id = id;
		this.#api = api;
		this.#stream = stream;
	}

	/** The user has a running session and a stream. */
	static async of(platform: TestPlatform, headers: Record<string, string>): Promise<Victim> {
		const api = platform.client(headers);
		const { id } = await runningSession(api);
		return new Victim(id, api, await platform.events({ headers }));
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.#stream.close();
	}

	/** Performs all actions concurrently for the given time, and completes those that have begun. */
	async measure(ms: number): Promise<Measured> {
		const measured: Measured = { times: { get: [], post: [], stream: [], start: [] }, failures: [] };
		const end = performance.now() + ms;
		await Promise.all([
			again(end, 10, measured, () => this.#reads(measured)),
			again(end, 50, measured, () => this.#hears(measured)),
			again(end, 100, measured, () => this.#starts(measured)),
		]);
		return measured;
	}

	/** @throws {Error} when the session does not run any more. */
	async expectRunning(): Promise<void> {
		const { status, body } = await this.#api.get<SessionView>(`/sessions/${this.id}`);
		if (status !== 200 || body.status !== "running") {
			throw new Error(`The other user's session is ${body.status ?? status}: ${body.error}`);
		}
	}

	async #reads({ times }: Measured): Promise<void> {
		times.get.push(await timed(() => this.#expect(200, this.#api.get(`/sessions/${this.id}`))));
	}

	async #hears({ times }: Measured): Promise<void> {
		const name = `change-${++this.#changes}`;
		const heard = () => this.#stream.events.findLast(({ data }) => data.includes(`"${name}"`));
		times.stream.push(
			await timed(async () => {
				await this.#expect(200, this.#api.put(`/sessions/${this.id}`, { name }));
				await eventually(heard, { withinMs: 30_000, everyMs: 2, what: "the stream tells of a change" });
			}),
		);
		this.#stream.events.length = 0;
	}

	async #starts({ times }: Measured): Promise<void> {
		let id = "";
		const posted = await timed(async () => {
			const made = this.#api.post<SessionView>("/sessions", { name: "start", source: { type: "git", repo: "" } });
			id = (await this.#expect(201, made)).id;
		});
		times.post.push(posted);
		const view = () => this.#expect(200, this.#api.get<SessionView>(`/sessions/${id}`));
		const hasStarted = async () => /^(running|failed)$/.test((await view()).status);
		times.start.push(posted + (await timed(() => eventually(hasStarted, { withinMs: 60_000, what: "a start" }))));
		const { status, error } = await view();
		if (status === "failed") throw new Error(`A session of the other user has failed: ${error}`);
		await this.#expect(204, this.#api.delete(`/sessions/${id}`));
	}

	async #expect<T>(wanted: number, answer: Promise<Answer<T>>): Promise<T> {
		const { status, body, text } = await answer;
		if (status !== wanted) throw new Error(`${status} in the place of ${wanted}: ${text.slice(0, 200)}`);
		return body;
	}
}

async function again(end: number, pauseMs: number, { failures }: Measured, work: () => Promise<void>): Promise<void> {
	do {
		await work().catch((error: unknown) => failures.push(String(error)));
		await sleep(pauseMs);
	} while (performance.now() < end);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
	const begun = performance.now();
	await work();
	return performance.now() - begun;
}
