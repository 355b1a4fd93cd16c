/** Measures all the time how long sessions stay in a passing status, so that a temporary hang is found too. */
import { setTimeout as sleep } from "node:timers/promises";
import type { ApiClient } from "../../support/clients/api-client.ts";
import type { SessionView } from "../../support/platform/session-steps.ts";
import { patience } from "../../support/machine/patience.ts";

const everyMs = 250;
/** The bound allows for kills, freezes and full disks; without them a launch takes a second. */
const usuallyAllowedMs = 30_000;

export const passingStatuses = ["starting", "provisioning", "stopping"];

export interface PassingOptions {
	/** The sessions whose launch waits for something outside, such as a git server. */
	readonly mayWait?: ((session: SessionView) => boolean) | undefined;
	/** The longest time in a passing status that is right, in milliseconds; default 30 s. */
	readonly allowedMs?: number | undefined;
}

interface Stay {
	readonly since: number;
	readonly sentence: string;
}

export class PassingWatch {
	readonly wrong: string[] = [];
	/** The longest stay, in milliseconds. */
	longestMs = 0;
	readonly #api: ApiClient;
	readonly #mayWait: (session: SessionView) => boolean;
	readonly #allowedMs: number;
	readonly #stopping = new AbortController();
	readonly #loop: Promise<void>;
	#stays = new Map<string, Stay>();

	constructor(api: ApiClient, { mayWait = () => false, allowedMs = usuallyAllowedMs }: PassingOptions = {}) {
		this.#api = api;
		this.#mayWait = mayWait;
		this.#allowedMs = allowedMs;
		this.#loop = this.#run();
	}

	async stop(): Promise<void> {
		this.#stopping.abort();
		await this.#loop;
	}

	async #run(): Promise<void> {
		const { signal } = this.#stopping;
		while (!signal.aborted) {
			const answer = await this.#api.get<SessionView[]>("/sessions").catch(() => undefined);
			if (answer?.status === 200) this.#look(answer.body);
			await sleep(everyMs, undefined, { signal }).catch(() => {});
		}
	}

	/** The time of a platform that does not answer counts too. */
	#look(sessions: readonly SessionView[]): void {
		const now = performance.now();
		const stays = new Map<string, Stay>();
		for (const session of sessions) {
			const { id, status, generation } = session;
			if (!passingStatuses.includes(status) || this.#mayWait(session)) continue;
			const name = `${id}-g${generation} ${status}`;
			const stay = this.#stays.get(name) ?? {
				since: now,
				sentence: `${id} was ${status} for more than ${this.#allowedMs} ms`,
			};
			stays.set(name, stay);
			this.#judge(stay, now - stay.since);
		}
		this.#stays = stays;
	}

	#judge({ sentence }: Stay, ms: number): void {
		this.longestMs = Math.max(this.longestMs, Math.round(ms));
		if (ms > this.#allowedMs * patience() && !this.wrong.includes(sentence)) this.wrong.push(sentence);
	}
}
