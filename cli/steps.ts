/** Runs a job step by step, and shows each step with its duration. */
import { monotonic } from "#shared/base/clock.ts";

const nameWidth = 46;

export class Steps {
	readonly #print: (line: string) => void;
	readonly #ending: AbortSignal | undefined;
	readonly #done: { name: string; ms: number }[] = [];

	/** @param ending No step begins after it aborts. */
	constructor(print: (line: string) => void, ending?: AbortSignal) {
		this.#print = print;
		this.#ending = ending;
	}

	/** Runs a step. Rethrows its error after showing that it failed. */
	async run<T>(name: string, step: () => Promise<T>): Promise<T> {
		this.#ending?.throwIfAborted();
		const begun = monotonic();
		try {
			const result = await step();
			this.#done.push({ name, ms: monotonic() - begun });
			this.#print(row("✓", name, monotonic() - begun));
			return result;
		} catch (error) {
			this.#print(row("✗", name, monotonic() - begun));
			throw error;
		}
	}

	/** Shows a few lines below their step. */
	note(text: string): void {
		for (const line of text.trimEnd().split("\n")) this.#print(`    ${line}`);
	}

	/** Shows unchanged text between two lines with its name. */
	block(name: string, text: string): void {
		this.#print(`----- ${name} -----`);
		this.#print(text.replace(/\n$/, ""));
		this.#print(`----- end of ${name} -----`);
	}

	/** Shows all steps so far with the sum of their durations. */
	table(): void {
		const total = this.#done.reduce((sum, { ms }) => sum + ms, 0);
		this.#print("");
		for (const { name, ms } of this.#done) this.#print(row(" ", name, ms));
		this.#print(row(" ", "all steps", total));
	}
}

function row(mark: string, name: string, ms: number): string {
	return `${mark} ${name.padEnd(nameWidth, " ")} ${String(Math.round(ms)).padStart(7)} ms`;
}
