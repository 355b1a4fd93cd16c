/** Cuts a byte stream into lines of text of bounded length. */
import { StringDecoder } from "node:string_decoder";

const maxLineLength = 8_192;

export class LineSplitter {
	readonly #decoder = new StringDecoder("utf8");
	readonly #onLine: (line: string) => void;
	#rest = "";

	/** @param onLine Receives each line that is not blank, without its end; in pieces of at most 8,192 characters. */
	constructor(onLine: (line: string) => void) {
		this.#onLine = onLine;
	}

	push(chunk: Buffer): void {
		const lines = (this.#rest + this.#decoder.write(chunk)).split(/\r?\n|\r(?!$)/);
		this.#rest = lines.pop() ?? "";
		for (const line of lines) this.#emit(line);
		if (this.#rest.length > maxLineLength) this.#flush();
	}

	end(): void {
		this.#rest += this.#decoder.end();
		this.#flush();
	}

	#flush(): void {
		this.#emit(this.#rest);
		this.#rest = "";
	}

	#emit(line: string): void {
		for (let at = 0; at < line.length; at += maxLineLength) {
			const piece = line.slice(at, at + maxLineLength);
			if (piece.trim() !== "") this.#onLine(piece);
		}
	}
}
