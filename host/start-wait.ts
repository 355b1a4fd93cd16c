/** Tells operators what a process waits for until it has started, so that a start that goes no further is seen from outside. */
import type { ReadinessCheck } from "./platform.ts";

/** The start of one process. The process that starts tells it what it waits for, and says when it is done. */
export class StartWait {
	#sentence = "the process is starting";
	#isDone = false;

	/** @param sentence Says what the start waits for from now on. */
	waitFor(sentence: string): void {
		this.#sentence = sentence;
	}

	/** All parts have started. */
	done(): void {
		this.#isDone = true;
	}

	/** Succeeds when the process has started; its error is the last sentence. */
	readonly check: ReadinessCheck = async () => {
		if (!this.#isDone) throw new Error(this.#sentence);
	};
}
