/**
 * A client that archives all stopped sessions repeatedly, each time with a key. Its results are passed to the clients
 * that own the sessions.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { answered } from "../answered.ts";
import type { Random } from "../random.ts";
import type { SessionDriver } from "../session-driver.ts";

export class Archiver {
	readonly #api: ApiClient;
	readonly #random: Random;
	readonly #drivers: readonly SessionDriver[];
	/** Observations that no client may ever make. */
	readonly wrong: string[] = [];
	/** The sessions that it was told are archived. */
	archived = 0;

	constructor(api: ApiClient, random: Random, drivers: readonly SessionDriver[]) {
		this.#api = api;
		this.#random = random;
		this.#drivers = drivers;
	}

	/** Runs until the signal aborts; requests that are under way get their answers. */
	async run(signal: AbortSignal): Promise<void> {
		while (!signal.aborted) {
			await this.#archive();
			await sleep(this.#random.between(50, 800), undefined, { signal }).catch(() => {});
		}
	}

	async #archive(): Promise<void> {
		const since = performance.now();
		const key = randomUUID();
		const ids = await this.#ids(key);
		const again = await this.#ids(key);
		if (ids.join() !== again.join())
			this.wrong.push(`archive-stopped gave ${ids.join()}, and for the repeat ${again.join()}`);
		for (const driver of this.#drivers) if (ids.includes(driver.id)) driver.archivedByOther(since);
		this.archived += ids.length;
	}

	async #ids(key: string): Promise<string[]> {
		const headers = { "idempotency-key": key };
		const { status, body, text } = await answered(() =>
			this.#api.request<string[]>("POST", "/sessions/archive-stopped", { headers }),
		);
		if (status === 200) return body;
		this.wrong.push(`archive-stopped: ${status} ${text}`);
		return [];
	}
}
