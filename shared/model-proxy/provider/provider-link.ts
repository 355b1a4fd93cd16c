/** The connections to the model provider: the time for a response to begin, and the sentences about failures. */
import type { IncomingMessage } from "node:http";
import { after } from "#shared/base/clock.ts";
import { environmentProxy } from "#shared/net/http/environment-proxy.ts";
import { ConnectionPool, type PooledRequest, Unanswered } from "./connection-pool.ts";
import { ProxyError } from "../proxy-error.ts";
import type { ProxyLimits } from "../proxy-limits.ts";
import { unreachable } from "./provider-name.ts";

/** Providers keep idle connections for a minute or more, so a call seldom meets one that is just being closed. */
const freeMs = 20_000;

/** Sends requests to the provider; the owner closes it. */
export class ProviderLink {
	readonly #firstByteMs: number;
	readonly #connections: ConnectionPool;

	constructor({ calls, connectMs, firstByteMs }: ProxyLimits) {
		this.#firstByteMs = firstByteMs;
		this.#connections = new ConnectionPool(calls, freeMs, connectMs, environmentProxy());
	}

	/**
	 * Resolves with the head of the response. Redirects are not followed.
	 * @param provider The provider's name in sentences.
	 * @throws {ProxyError} with status 502 or 504.
	 */
	async send(request: PooledRequest, provider: string): Promise<IncomingMessage> {
		const late = new AbortController();
		const timer = after(this.#firstByteMs, () => late.abort());
		try {
			const signal = AbortSignal.any([request.signal, late.signal]);
			return await this.#connections.send({ ...request, signal });
		} catch (error) {
			throw late.signal.aborted ? this.#tooLate(provider) : noAnswer(provider, error);
		} finally {
			timer.cancel();
		}
	}

	close(): void {
		this.#connections.close();
	}

	#tooLate(provider: string): ProxyError {
		return new ProxyError(504, `${provider} did not answer within ${this.#firstByteMs / 1_000} s`);
	}
}

function noAnswer(provider: string, cause: unknown): ProxyError {
	const isStale = cause instanceof Unanswered && cause.isStale;
	const sentence = isStale
		? `${provider} closed the connection and may have received the call; it is not repeated`
		: unreachable(provider, cause as NodeJS.ErrnoException);
	return new ProxyError(502, sentence, { cause });
}
