/** Lines for the person at the terminal, and progress on one line that changes; where no terminal is, every progress is a line. */

/** Back to the first column, and the line is empty (ECMA-48, EL). */
const emptyLine = "\r\x1b[2K";

export interface TextOutput {
	readonly isTTY?: boolean;
	write(text: string): unknown;
}

export class ProgressOutput {
	readonly #output: TextOutput;
	#isShown = false;

	constructor(output: TextOutput) {
		this.#output = output;
	}

	say(line: string): void {
		this.endProgress();
		this.#output.write(`${line}\n`);
	}

	/** Takes the place of the progress before it. */
	progress(line: string): void {
		if (!this.#output.isTTY) return this.say(line);
		this.#output.write(emptyLine + line);
		this.#isShown = true;
	}

	/** What is written next stands at the beginning of an empty line. */
	endProgress(): void {
		if (this.#isShown) this.#output.write(emptyLine);
		this.#isShown = false;
	}
}
