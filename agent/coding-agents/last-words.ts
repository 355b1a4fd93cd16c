/** What a program said last on its standard error that tells a person something. */
const aWord = /\p{L}{2}/u;
/** What programs write below the sentence: members of an object, frames of a stack, the version of Node. */
const isDetail = /^\s|^at .+[:(]|^Node\.js v\d/;

export class LastWords {
	#sentence = "";
	/** Stands for the sentence where there is none. */
	#line = "";

	hear(line: string): void {
		if (aWord.test(line) && !isDetail.test(line)) this.#sentence = line;
		else if (aWord.test(line)) this.#line = line.trim();
	}

	/** Empty when it said nothing of the kind. */
	get text(): string {
		return this.#sentence || this.#line;
	}
}
