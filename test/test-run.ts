/**
 * Runs test files in parallel or one after the other, each group in a separate mocha process. A few failed files are
 * run once more, alone: one that passes then is named and counts as passed, so that a failure due to a busy machine is
 * visible and does not block everybody; but not a second time (second-tries.ts). The last lines have the form of mocha's.
 */
import { MochaProcess, type Outcome } from "./mocha-process.ts";
import { earlierSecondTries } from "./second-tries.ts";
import { patience } from "./support/machine/patience.ts";
import { needsOf } from "./test-needs.ts";
import type { TestPlan } from "./test-plan.ts";

/** The most failed files that are tried again; more failures are no coincidence. */
const mostSecondTries = 3;

/** The duration in seconds from which a test states the reason in its head. */
const longSeconds = 20;

export class TestRun {
	readonly #begun = performance.now();
	readonly #total: Outcome = { passing: 0, pending: 0, failing: 0 };
	readonly #running = new Set<MochaProcess>();
	readonly #unexplained: MochaProcess[] = [];
	#broken: MochaProcess[] = [];
	readonly #passedAlone: MochaProcess[] = [];

	get hasFailed(): boolean {
		return this.#total.failing > 0;
	}

	/** Runs the tests. @param lanes The count of parallel mocha processes. */
	async run({ together, alone }: TestPlan, lanes: number): Promise<void> {
		await this.#runAll(together, lanes);
		await this.#runAll(alone, 1);
		await this.#tryAgain();
	}

	/** Ends the processes under way, and names their files. */
	end(): void {
		for (const mocha of this.#running) {
			mocha.end();
			report(mocha);
		}
		console.log(`\nHad not ended: ${[...this.#running].map(({ name }) => name).join(", ")}`);
	}

	/**
	 * Prints the repeated failures, the notes and finally the counts, which readers expect at the end. @param notes
	 * Lines before the counts.
	 */
	close(notes: readonly string[]): void {
		for (const { name, ending } of this.#passedAlone)
			console.log(`\n== PASSED AT THE SECOND TRY ONLY: ${name}; at the first:\n${ending.trimEnd()}`);
		for (const first of this.#passedAlone) console.log(`\n${lineOf(first)}`);
		for (const { name, ending } of this.#broken) console.log(`\n== FAILED: ${name}\n${ending.trimEnd()}`);
		for (const { name, seconds } of this.#unexplained)
			console.log(`\nTook ${seconds.toFixed(0)} s, and its head has no "Long: <reason>.": ${name}`);
		if (notes.length > 0) console.log(`\n${notes.join("\n")}`);
		const minutes = (performance.now() - this.#begun) / 60_000;
		const { passing, pending, failing } = this.#total;
		console.log(`\n  ${passing} passing (${minutes.toFixed(1)}m)\n  ${pending} pending\n  ${failing} failing`);
	}

	async #runAll(groups: readonly (readonly string[])[], atOnce: number): Promise<void> {
		const left = groups.values();
		// Each lane starts the next group when one has ended.
		const lane = async (): Promise<void> => {
			for (const files of left) await this.#runFiles(files);
		};
		await Promise.all(Array.from({ length: atOnce }, lane));
	}

	async #runFiles(files: readonly string[]): Promise<MochaProcess> {
		const mocha = new MochaProcess(files);
		this.#running.add(mocha);
		this.#count(await mocha.ended(), 1);
		this.#running.delete(mocha);
		report(mocha);
		if (isLong(mocha) && files.length === 1 && reasonOf(mocha) === undefined) this.#unexplained.push(mocha);
		if (mocha.outcome.failing > 0) this.#broken.push(mocha);
		return mocha;
	}

	/** Runs failed files again, alone; the new outcome replaces the former one. */
	async #tryAgain(): Promise<void> {
		if (this.#broken.length > mostSecondTries) return;
		const failed = this.#broken;
		this.#broken = [];
		for (const first of failed) {
			this.#count(first.outcome, -1);
			const second = await this.#runFiles(first.files);
			if (second.outcome.failing > 0) continue;
			this.#passedAlone.push(first);
			if (earlierSecondTries().has(failedFileOf(first))) this.#count({ passing: -1, pending: 0, failing: 1 }, 1);
		}
	}

	#count(outcome: Outcome, sign: 1 | -1): void {
		for (const what of ["passing", "pending", "failing"] as const) this.#total[what] += sign * outcome[what];
	}
}

/** Returns what is to be written down about a file that passed at the second try, or why that fails the run. */
function lineOf(mocha: MochaProcess): string {
	const file = failedFileOf(mocha);
	const day = earlierSecondTries().get(file);
	return day === undefined
		? `To be added to test/second-tries.txt: ${new Date().toISOString().slice(0, 10)} ${file}`
		: `FAILED: ${file} needed a second try on ${day}, too: it has a race`;
}

/** Returns the file of a group that its last words name; they have the places of failures. */
function failedFileOf({ files, ending }: MochaProcess): string {
	return files.find((file) => ending.includes(file)) ?? files[0] ?? "";
}

/** Every test takes longer on a machine with other work. */
function isLong({ seconds }: MochaProcess): boolean {
	return seconds > longSeconds * patience();
}

function report(mocha: MochaProcess): void {
	const reason = isLong(mocha) ? reasonOf(mocha) : undefined;
	console.log(`\n== ${mocha.name} (${mocha.seconds.toFixed(1)} s${reason === undefined ? "" : `: ${reason}`})`);
	console.log(mocha.output.trimEnd());
}

/** Returns the reason why a file takes long; undefined for a group of files. */
function reasonOf({ files: [file = "", ...others] }: MochaProcess): string | undefined {
	if (others.length > 0) return undefined;
	const { long, night } = needsOf(file);
	return long ?? night;
}
