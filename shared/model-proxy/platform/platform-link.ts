/** Sends JSON requests about the pod's session to the platform. */
import { readBounded } from "#shared/base/bounded-read.ts";
import { deadline } from "#shared/base/clock.ts";
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import { ConnectionPool } from "#shared/model-proxy/provider/connection-pool.ts";

export interface PlatformAnswer {
	readonly status: number;
	/** It is undefined when the answer is too long or was interrupted. */
	readonly text: string | undefined;
}

export interface PlatformRequest {
	readonly method: "POST" | "DELETE";
	/** The path below that of the session. */
	readonly path: string;
	readonly body?: object;
	/** The time limit until the answer is complete. */
	readonly withinMs: number;
	readonly signal: AbortSignal;
}

/** The bound on one answer. The longest answer that is used has a sentence on a refused reservation. */
const maxAnswerBytes = 65_536;
/** The same number of model calls may ask for a reservation at one time. */
const maxSockets = 32;
/** The platform closes idle connections a second later. */
const freeMs = 4_000;

/** The place of the session at the platform, and the token of its pod. */
export type PlatformAccess = Pick<LaunchDocument, "platform_url" | "session_id" | "pod_token">;

export class PlatformLink {
	readonly #url: string;
	readonly #authorization: string;
	readonly #connections = new ConnectionPool(maxSockets, freeMs);

	constructor({ platform_url, session_id, pod_token }: PlatformAccess) {
		this.#url = `${platform_url.replace(/\/$/, "")}/sessions/${session_id}`;
		this.#authorization = `Bearer ${pod_token}`;
	}

	/** Resolves with undefined without an answer; a redirect is none. The platform may receive a request twice. */
	async send({ method, path, body, withinMs, signal }: PlatformRequest): Promise<PlatformAnswer | undefined> {
		try {
			const answer = await this.#connections.send({
				url: `${this.#url}${path}`,
				method,
				// Reports and reservations have ids, so a repetition is harmless.
				isRepeatable: true,
				headers: { authorization: this.#authorization, ...(body && { "content-type": "application/json" }) },
				signal: deadline(withinMs, signal),
				...(body && { body: JSON.stringify(body) }),
			});
			const { statusCode: status = 0 } = answer;
			const text = await textOf(answer);
			return status >= 300 && status < 400 ? undefined : { status, text };
		} catch {
			// The platform may be restarting; the session goes on meanwhile.
			return undefined;
		}
	}

	close(): void {
		this.#connections.close();
	}
}

/** Resolves with undefined when the answer is too long or was interrupted; its connection is not reused then. */
async function textOf(answer: AsyncIterable<Buffer>): Promise<string | undefined> {
	const tooLarge = () => new Error("The answer is too long");
	try {
		// An answer that is too long is destroyed, and its connection with it.
		return (await readBounded(answer, { maxBytes: maxAnswerBytes, tooLarge })).toString();
	} catch {
		return undefined;
	}
}
