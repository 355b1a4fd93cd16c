/** The pod's way to its platform: requests about its session, in JSON, and what is answered. */
import { deadline } from "#shared/clock.ts";
import type { LaunchDocument } from "#shared/pod/launch.ts";
import { ConnectionPool } from "../io/connection-pool.ts";

export interface PlatformAnswer {
	readonly status: number;
	/** Undefined: it is too long, or broke off. */
	readonly text: string | undefined;
}

export interface PlatformRequest {
	readonly method: "POST" | "DELETE";
	/** Below the session's. */
	readonly path: string;
	readonly body?: object;
	/** Until the whole of the answer is there. */
	readonly withinMs: number;
	/** Gives it up earlier. */
	readonly signal: AbortSignal;
}

/** Of one answer; the longest that anybody reads says in a sentence why there is no reservation. */
const maxAnswerBytes = 65_536;
/** As many as model calls at one time ask for leave. */
const maxSockets = 32;
/** A second less than the platform keeps them. */
const freeMs = 4_000;

export class PlatformLink {
	readonly #url: string;
	readonly #authorization: string;
	readonly #connections = new ConnectionPool(maxSockets, freeMs);

	constructor({ platform_url, session_id, pod_token }: LaunchDocument) {
		this.#url = `${platform_url.replace(/\/$/, "")}/sessions/${session_id}`;
		this.#authorization = `Bearer ${pod_token}`;
	}

	/** Undefined when there is no answer; a redirect is none. The platform may get a request twice. */
	async send({ method, path, body, withinMs, signal }: PlatformRequest): Promise<PlatformAnswer | undefined> {
		try {
			const answer = await this.#connections.send({
				url: `${this.#url}${path}`,
				method,
				// Reports and reservations have ids of their own.
				isRepeatable: true,
				headers: { authorization: this.#authorization, ...(body && { "content-type": "application/json" }) },
				signal: deadline(withinMs, signal),
				...(body && { body: JSON.stringify(body) }),
			});
			const { statusCode: status = 0 } = answer;
			const text = await textOf(answer);
			return status >= 300 && status < 400 ? undefined : { status, text };
		} catch {
			// The platform may be starting again; the session goes on meanwhile.
			return undefined;
		}
	}

	/** Closes the connections. */
	close(): void {
		this.#connections.close();
	}
}

/** Undefined: it is too long, or broke off. Its connection is of use to the next request when it is read to its end. */
async function textOf(answer: AsyncIterable<Buffer>): Promise<string | undefined> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	try {
		for await (const chunk of answer) {
			bytes += chunk.length;
			// That destroys it.
			if (bytes > maxAnswerBytes) return undefined;
			chunks.push(chunk);
		}
	} catch {
		return undefined;
	}
	return Buffer.concat(chunks).toString();
}
