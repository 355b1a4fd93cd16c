/** Delivers the pod's status to the runtime: into a file that it reads, or at the platform's door. */
import { type OutgoingHttpHeaders, type RequestOptions, request as httpRequest } from "node:http";
import { join } from "node:path";
import { deadline, monotonic, sleep } from "#shared/base/clock.ts";
import { backoffMs } from "#shared/base/concurrency/backoff.ts";
import { replaceFileSync } from "#shared/base/files/replaced-file.ts";
import { doorPaths } from "#shared/wire/pod/door/door-paths.ts";
import { doorSockets } from "#shared/wire/pod/door/door-sockets.ts";
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import { placeOf } from "./fetched-launch.ts";

/** Takes each status as JSON. */
export interface StatusReports {
	/**
	 * Replaces the former status. @param isAwaited Whether the platform waits for it; another one may be delivered a moment later, or not at
	 * all when a newer one comes. @throws {Error} when it cannot be kept.
	 */
	write(content: string, isAwaited: boolean): void;
	/** Resolves when the last status was delivered, or cannot be. */
	close(): Promise<void>;
}

/** The time of one delivery, and of the last one after the end of the pod, in milliseconds. */
const requestMs = 5_000;
const closingMs = 10_000;
/** The least time between two deliveries of which the platform awaits none, in milliseconds. */
const leastMs = 250;
const again = { firstMs: 100, maxMs: 5_000 };

export function statusReports({ door, door_url, pod_token, status_file }: LaunchDocument): StatusReports {
	const place = door === undefined ? door_url : join(door, doorSockets.platform);
	if (place !== undefined)
		return new PostedStatus(placeOf(place, doorPaths.status), { authorization: `Bearer ${pod_token}` });
	return { write: (content) => replaceFileSync(status_file, content), close: async () => {} };
}

/** Posts the newest status until it was taken. */
class PostedStatus implements StatusReports {
	readonly #place: RequestOptions;
	readonly #headers: OutgoingHttpHeaders;
	#waiting: string | undefined;
	#posting = Promise.resolve();
	#isPosting = false;
	readonly #closing = new AbortController();
	/** Aborts the pause before the next delivery, also the one after a failure. */
	#pause = new AbortController();
	#takenAt = -Infinity;

	/** @param headers Those that say whose status it is. */
	constructor(place: RequestOptions, headers: OutgoingHttpHeaders) {
		this.#place = place;
		this.#headers = headers;
	}

	write(content: string, isAwaited: boolean): void {
		this.#waiting = content;
		if (isAwaited) this.#pause.abort();
		if (!this.#isPosting) this.#posting = this.#postAll();
	}

	async close(): Promise<void> {
		const late = sleep(closingMs).then(() => this.#closing.abort());
		await Promise.race([this.#posting, late]);
		this.#closing.abort();
	}

	async #postAll(): Promise<void> {
		this.#isPosting = true;
		for (let failures = 0; this.#waiting !== undefined && !this.#closing.signal.aborted; ) {
			await this.#paused(this.#takenAt + leastMs - monotonic());
			const content = this.#waiting;
			this.#waiting = undefined;
			if (await this.#isTaken(content)) {
				failures = 0;
				this.#takenAt = monotonic();
				continue;
			}
			// A newer one may have come meanwhile.
			this.#waiting ??= content;
			await this.#paused(backoffMs(++failures, again));
		}
		this.#isPosting = false;
	}

	/** Waits until the time is over, or a status comes that the platform waits for. One that follows meanwhile replaces the one that waits. */
	async #paused(waitMs: number): Promise<void> {
		if (waitMs > 0) await sleep(waitMs, AbortSignal.any([this.#pause.signal, this.#closing.signal]));
		if (this.#pause.signal.aborted) this.#pause = new AbortController();
	}

	#isTaken(content: string): Promise<boolean> {
		return new Promise((resolve) => {
			const outgoing = httpRequest({
				...this.#place,
				method: "POST",
				headers: {
					...this.#headers,
					"content-type": "application/json",
					"content-length": Buffer.byteLength(content),
				},
				signal: deadline(requestMs, this.#closing.signal),
			});
			outgoing.on("response", (answer) => {
				answer.resume();
				resolve((answer.statusCode ?? 500) < 300);
			});
			outgoing.on("error", () => resolve(false));
			outgoing.end(content);
		});
	}
}
