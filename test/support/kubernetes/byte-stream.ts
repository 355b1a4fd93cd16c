/** Bytes that a test writes while somebody reads them. */

export class ByteStream implements AsyncIterable<Uint8Array> {
	readonly #chunks: Uint8Array[] = [];
	#end: { readonly error?: Error } | undefined;
	#wake: () => void = () => {};

	write(text: string): void {
		if (this.#end) return;
		this.#chunks.push(Buffer.from(text));
		this.#wake();
	}

	/** @param error The reading throws it after the last byte; absent: the stream ends in order. */
	end(error?: Error): void {
		this.#end ??= error ? { error } : {};
		this.#wake();
	}

	get isEnded(): boolean {
		return this.#end !== undefined;
	}

	async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
		for (;;) {
			const chunk = this.#chunks.shift();
			if (chunk) yield chunk;
			else if (this.#end?.error) throw this.#end.error;
			else if (this.#end) return;
			else await new Promise<void>((resolve) => (this.#wake = resolve));
		}
	}
}
