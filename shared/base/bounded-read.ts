/** Reads a stream of bytes to its end, but no further than a bound. */

export interface ReadBounds {
	readonly maxBytes: number;
	/** Makes the error for a stream that has more. */
	readonly tooLarge: () => Error;
	/** Called with the size of each chunk before the chunk is stored. An error that it throws ends the reading. */
	readonly onChunk?: (bytes: number) => void;
}

/**
 * Resolves to all bytes of the stream, of which at most `maxBytes` are stored. The owner of the stream bounds the time:
 * this function waits as long as the stream does.
 * @param chunks The stream. An early end of the reading destroys a socket or a request, unless the iterator prevents
 * that.
 * @throws the error of `tooLarge`; whatever `onChunk` throws; the stream's own error when it breaks off.
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
