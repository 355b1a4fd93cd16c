/** Reads the body of an answer from outside, with bounds before and after its decompression. */
import type { IncomingMessage } from "node:http";
import { pipeline, type Transform } from "node:stream";
import { readBounded } from "#shared/base/bounded-read.ts";
import { UpstreamError } from "#shared/base/errors.ts";

/**
 * Resolves to the decompressed body.
 * @param maxBytes The bound for the bytes that arrive, and for those that they become.
 * @throws {UpstreamError} when there are more, or with another compression than gzip, deflate and br.
 */
export async function answerBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
	const tooLarge = () => new UpstreamError(`The server's answer has more than ${maxBytes} bytes`, "UPSTREAM_TOO_LARGE");
	const decoder = decoderOf(response.headers["content-encoding"]);
	if (!decoder) return readBounded(response, { maxBytes, tooLarge });
	let arrived = 0;
	response.on("data", (chunk: Buffer) => {
		arrived += chunk.byteLength;
		if (arrived > maxBytes) response.destroy(tooLarge());
	});
	// Reading the decoder tells of every error.
	pipeline(response, decoder, () => {});
	return readBounded(decoder, { maxBytes, tooLarge });
}

function decoderOf(encoding = ""): Transform | undefined {
	const zlib = process.getBuiltinModule("node:zlib");
	switch (encoding.trim().toLowerCase()) {
		case "":
		case "identity":
			return undefined;
		case "gzip":
		case "x-gzip":
			return zlib.createGunzip();
		case "deflate":
			return zlib.createInflate();
		case "br":
			return zlib.createBrotliDecompress();
		default:
			throw new UpstreamError("The server's answer is compressed in a way that is not supported", "UPSTREAM_ENCODING");
	}
}
