/** The way to the model provider: how long it may take to begin an answer, and what callers are told when it fails. */
import type { IncomingMessage } from "node:http";
import { after } from "#shared/clock.ts";
import { KeptConnections, type KeptRequest, Unanswered } from "../kept-connections.ts";
import { ProxyError } from "./proxy-error.ts";

/** Providers keep them for a minute or more; so a call seldom meets one that is just being closed. */
const freeMs = 20_000;

export class ProviderLink {
	readonly #firstByteMs: number;
	readonly #connections: KeptConnections;

	/** @param sockets How many are open at most. @param firstByteMs How long an answer may take to begin. */
	constructor(sockets: number, firstByteMs: number) {
		this.#firstByteMs = firstByteMs;
		this.#connections = new KeptConnections(sockets, freeMs);
	}

	/** Resolves with the head of the answer. It follows no redirect. @throws {ProxyError} 502 or 504. */
	async send(request: KeptRequest): Promise<IncomingMessage> {
		const late = new AbortController();
		const timer = after(this.#firstByteMs, () => late.abort());
		try {
			const signal = AbortSignal.any([request.signal, late.signal]);
			return await this.#connections.send({ ...request, signal });
		} catch (error) {
			throw late.signal.aborted ? this.#tooLate() : unreachable(error);
		} finally {
			timer.cancel();
		}
	}

	close(): void {
		this.#connections.close();
	}

	#tooLate(): ProxyError {
		return new ProxyError(504, `The model provider did not answer within ${this.#firstByteMs / 1_000} s`);
	}
}

function unreachable(cause: unknown): ProxyError {
	const { code, message } = cause as NodeJS.ErrnoException;
	if (cause instanceof Unanswered && cause.isStale)
		return new ProxyError(
			502,
			"The model provider closed the connection and may have heard the call; it is not repeated",
			{
				cause,
			},
		);
	return new ProxyError(502, `The model provider cannot be reached: ${code ?? message}`, { cause });
}
