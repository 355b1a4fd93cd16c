/** Writes lines for a person, and progress on one line that changes, or as lines where there is no terminal. */

/** Moves to the first column and empties the line (ECMA-48, EL). */
const emptyLine = "\r\x1b[2K";

/** The receiver of text, such as `process.stdout`. */
export interface TextOutput {
	readonly isTTY?: boolean;
	write(text: string): unknown;
}

/** The output of one program. */
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

	/** Shows a progress in the place of the preceding one. */
	progress(line: string): void {
		if (!this.#output.isTTY) return this.say(line);
		this.#output.write(emptyLine + line);
		this.#isShown = true;
	}

	/** Ends the progress, so that the next line begins at the first column. */
	endProgress(): void {
		if (this.#isShown) this.#output.write(emptyLine);
		this.#isShown = false;
	}
}
