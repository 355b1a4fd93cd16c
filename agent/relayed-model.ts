/**
 * The model of a pod that has no network. Its calls go through the door, where the platform adds the key, admits and books
 * them; here they are passed on and counted for people who watch. Turns wait until the door lets them begin.
 */
import { request as httpRequest } from "node:http";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { deadline, sleep } from "#shared/base/clock.ts";
import type { ModelCallsDependencies } from "#shared/model-proxy/model-calls.ts";
import type { TokenMeter } from "#shared/model-proxy/metering/token-meter.ts";
import { doorPaths } from "#shared/wire/pod/door/door-paths.ts";
import { doorSockets } from "#shared/wire/pod/door/door-sockets.ts";

const askAgainMs = 1_000;
const answerMs = 10_000;
/** The number of attempts to tell of the end of a turn. The next turn tells it too. */
const tries = 5;
/** How long the end of the pod waits for that, in milliseconds. */
const patienceMs = 2_000;

/** One session's side of the door. */
export class RelayedModel {
	readonly #socketPath: string;
	readonly #closed = new AbortController();
	/** The last attempt to tell of the end of a turn. It never rejects. */
	#told: Promise<void> = Promise.resolve();

	/** @param door The folder with the platform's sockets. */
	constructor(door: string) {
		this.#socketPath = join(door, doorSockets.platform);
	}

	/** Returns how the proxy records calls that are booked elsewhere. */
	calls(meter: TokenMeter): Pick<ModelCallsDependencies, "onCall" | "onBegun" | "isLimited" | "admit" | "isRelay"> {
		return {
			isRelay: true,
			onCall: ({ id, counts }) => meter.end(id, counts),
			onBegun: async ({ id, counts, isEstimated }) => {
				if (!isEstimated) meter.begin(id, counts);
			},
			isLimited: () => false,
			admit: async () => undefined,
		};
	}

	/** Resolves when the platform lets the turn begin. It is asked again when it was away. */
	async pass(_message: unknown, ending: AbortSignal): Promise<void> {
		const signal = AbortSignal.any([ending, this.#closed.signal]);
		await this.#told;
		while (!signal.aborted) {
			if ((await this.#post(doorPaths.turnBegins, signal)) === 204) return;
			await sleep(askAgainMs, signal);
		}
		signal.throwIfAborted();
	}

	ended(): void {
		this.#told = this.#tellEnd();
	}

	/** Makes the door use the session's present model. Whether it does. */
	async follow(): Promise<boolean> {
		return (await this.#post(doorPaths.modelChanged, deadline(answerMs, this.#closed.signal))) === 204;
	}

	/** Resolves when the end of the last turn was told, or the platform is away. */
	async close(): Promise<void> {
		await Promise.race([this.#told, sleep(patienceMs)]);
		this.#closed.abort();
	}

	async #tellEnd(): Promise<void> {
		for (let tried = 0; tried < tries; tried++) {
			const { signal } = this.#closed;
			if (signal.aborted || (await this.#post(doorPaths.turnEnded, deadline(answerMs, signal))) === 204) return;
			await sleep(askAgainMs, signal);
		}
	}

	/** Resolves to the status of the answer; undefined when there is none. */
	async #post(path: string, signal: AbortSignal): Promise<number | undefined> {
		const outgoing = httpRequest({ socketPath: this.#socketPath, method: "POST", path, signal });
		outgoing.end();
		try {
			const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
			answer.resume();
			return answer.statusCode;
		} catch {
			return undefined;
		}
	}
}
