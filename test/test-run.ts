/**
 * Runs test files, side by side or one after the other, each group in a mocha of its own. A few files that failed are run once
 * more, alone: one that passes then is named and counts as passed, so that a test that the machine was too busy for is seen
 * without keeping everybody's work from landing. Closes as one mocha would.
 */
import { MochaProcess, type Outcome } from "./mocha-process.ts";
import { needsOf } from "./test-needs.ts";
import type { TestPlan } from "./test-plan.ts";

/** More failures than this are no accident, and are not tried again. */
const mostSecondTries = 3;

/** A test that takes longer says why in its head. */
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

	/** @param lanes How many processes of mocha there are at one time. */
	async run({ together, alone }: TestPlan, lanes: number): Promise<void> {
		await this.#runAll(together, lanes);
		await this.#runAll(alone, 1);
		await this.#tryAgain();
	}

	/** Ends what is under way, and names it. */
	end(): void {
		for (const mocha of this.#running) {
			mocha.end();
			report(mocha);
		}
		console.log(`\nHad not ended: ${[...this.#running].map(({ name }) => name).join(", ")}`);
	}

	/** What failed once more, and the numbers last, where whoever reads them finds them. @param notes Lines that stand between them. */
	close(notes: readonly string[]): void {
		for (const { name, ending } of this.#passedAlone)
			console.log(`\n== PASSED AT THE SECOND TRY ONLY: ${name}; at the first:\n${ending.trimEnd()}`);
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
		// Each takes the next one when it has ended one.
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
		if (mocha.seconds > longSeconds && files.length === 1 && reasonOf(mocha) === undefined)
			this.#unexplained.push(mocha);
		if (mocha.outcome.failing > 0) this.#broken.push(mocha);
		return mocha;
	}

	/** Files that failed, alone this time: what they say now counts instead of what they said before. */
	async #tryAgain(): Promise<void> {
		if (this.#broken.length > mostSecondTries) return;
		const failed = this.#broken;
		this.#broken = [];
		for (const first of failed) {
			this.#count(first.outcome, -1);
			const second = await this.#runFiles(first.files);
			if (second.outcome.failing === 0) this.#passedAlone.push(first);
		}
	}

	#count(outcome: Outcome, sign: 1 | -1): void {
		for (const what of ["passing", "pending", "failing"] as const) this.#total[what] += sign * outcome[what];
	}
}

function report(mocha: MochaProcess): void {
	const reason = mocha.seconds > longSeconds ? reasonOf(mocha) : undefined;
	console.log(`\n== ${mocha.name} (${mocha.seconds.toFixed(1)} s${reason === undefined ? "" : `: ${reason}`})`);
	console.log(mocha.output.trimEnd());
}

/** Why it takes long; undefined for a group of files. */
function reasonOf({ files: [file = "", ...others] }: MochaProcess): string | undefined {
	return others.length === 0 ? needsOf(file).long : undefined;
}
