/** Reads a provider's error response completely, within a bound. */
import type { IncomingMessage } from "node:http";
import { type Duplex, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ProxyError } from "../proxy-error.ts";

/** A longer response is not passed on. */
const maxErrorBytes = 262_144;

/**
 * @param stages The streams that decode the response.
 * @param said The beginning of a sentence: who answered what.
 * @throws {ProxyError} when the response is too long or interrupted.
 */
export async function errorText(answer: IncomingMessage, stages: readonly Duplex[], said: string): Promise<string> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	const gather = new Writable({
		write(chunk: Buffer, _encoding, done) {
			bytes += chunk.length;
			chunks.push(chunk);
			done(bytes > maxErrorBytes ? new ProxyError(502, `${said} with an error that is too long`) : null);
		},
	});
	try {
		await pipeline([answer, ...stages, gather]);
	} catch (cause) {
		throw cause instanceof ProxyError ? cause : new ProxyError(502, `${said} and broke off its error`, { cause });
	}
	return Buffer.concat(chunks).toString("utf8");
}
