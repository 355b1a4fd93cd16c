/** Reads a stream of bytes to its end, or stops at the first byte too many. */

export interface ReadBounds {
	readonly maxBytes: number;
	/** Makes the error for a stream that has more. */
	readonly tooLarge: () => Error;
	/** Called with the size of each chunk before the chunk is stored. An error that it throws ends the reading. */
	readonly onChunk?: (bytes: number) => void;
}

/**
 * Resolves to all bytes of the stream. At most `maxBytes` are stored. The owner of the stream bounds the time: this function
 * waits for as long as the stream does.
 * @param chunks Ends when the reading stops early: a socket or a request is destroyed by that, unless it is an iterator that
 * says otherwise.
 * @throws the error of `tooLarge`; whatever `onChunk` throws; the stream's own error when it breaks off.
 * @example
 * ```ts
 * const tooLarge = () => new RequestError(413, "A command has at most 65536 bytes");
 * const text = (await readBounded(request, { maxBytes: 65_536, tooLarge })).toString();
 * ```
 */
export async function readBounded(
	chunks: AsyncIterable<Uint8Array>,
	{ maxBytes, tooLarge, onChunk = () => {} }: ReadBounds,
): Promise<Buffer> {
	const stored: Uint8Array[] = [];
	let bytes = 0;
	for await (const chunk of chunks) {
		bytes += chunk.byteLength;
		if (bytes > maxBytes) throw tooLarge();
		onChunk(chunk.byteLength);
		stored.push(chunk);
	}
	return Buffer.concat(stored, bytes);
}
