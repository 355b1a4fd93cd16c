/** Finds the last line on a program's standard error that helps a person. */
const aWord = /\p{L}{2}/u;
/** Programs write these lines below the sentence: members of an object, stack frames, the version of Node. */
const isDetail = /^\s|^at .+[:(]|^Node\.js v\d/;

export class LastWords {
	#sentence = "";
	/** The last line of any kind, for a program that wrote no sentence. */
	#line = "";

	add(line: string): void {
		if (aWord.test(line) && !isDetail.test(line)) this.#sentence = line;
		else if (aWord.test(line)) this.#line = line.trim();
	}

	/** The sentence; empty when the program wrote none. */
	get text(): string {
		return this.#sentence || this.#line;
	}
}
