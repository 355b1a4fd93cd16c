/**
 * `npm test [-- 'test/e2e/chat/*.test.ts' …]`: every test there is, or those files. Most of a test is waiting, so files run side
 * by side, each in a mocha of its own; what takes the measure of the machine, or is a load to it, runs alone at the end.
 * A few files that failed are run once more, alone: one that passes then is named at the end and counts as passed, so that a
 * test that the machine was too busy for is seen without keeping everybody's work from landing. Closes as one mocha would.
 */
import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { projectRoot } from "#shared/project-root.ts";
import { MochaProcess, type Outcome } from "./mocha-process.ts";
import { leftOutAgents } from "./support/agents/proven-agents.ts";
import { agentTests, planned } from "./test-plan.ts";

const sideBySide = availableParallelism() + 1;
const begun = performance.now();
/** More failures than this are no accident, and are not tried again. */
const mostSecondTries = 3;
const total: Outcome = { passing: 0, pending: 0, failing: 0 };
const running = new Set<MochaProcess>();
let broken: MochaProcess[] = [];
const passedAlone: MochaProcess[] = [];

function report(mocha: MochaProcess): void {
	console.log(`\n== ${mocha.name} (${mocha.seconds.toFixed(1)} s)`);
	console.log(mocha.output.trimEnd());
}

function count(outcome: Outcome, sign: 1 | -1): void {
	for (const what of ["passing", "pending", "failing"] as const) total[what] += sign * outcome[what];
}

async function run(files: readonly string[]): Promise<MochaProcess> {
	const mocha = new MochaProcess(files);
	running.add(mocha);
	count(await mocha.ended(), 1);
	running.delete(mocha);
	report(mocha);
	if (mocha.outcome.failing > 0) broken.push(mocha);
	return mocha;
}

/** Files that failed, alone this time: what they say now counts instead of what they said before. */
async function tryAgain(): Promise<void> {
	if (broken.length > mostSecondTries) return;
	const failed = broken;
	broken = [];
	for (const first of failed) {
		count(first.outcome, -1);
		const second = await run(first.files);
		if (second.outcome.failing === 0) passedAlone.push(first);
	}
}

async function runAll(groups: readonly (readonly string[])[], atOnce: number): Promise<void> {
	const left = groups.values();
	// Each takes the next one when it has ended one.
	const lane = async (): Promise<void> => {
		for (const files of left) await run(files);
	};
	await Promise.all(Array.from({ length: atOnce }, lane));
}

/** What failed once more, and the numbers last, where whoever reads them finds them. */
function close(): void {
	for (const { name, ending } of passedAlone)
		console.log(`\n== PASSED AT THE SECOND TRY ONLY: ${name}; at the first:\n${ending.trimEnd()}`);
	for (const { name, ending } of broken) console.log(`\n== FAILED: ${name}\n${ending.trimEnd()}`);
	if (leftOutAgents.length > 0 && agentTests.some((file) => files.includes(file)))
		console.log(`\nLeft out: the coding agents ${leftOutAgents.join(", ")} (npm run test:all)`);
	const minutes = (performance.now() - begun) / 60_000;
	const { passing, pending, failing } = total;
	console.log(`\n  ${passing} passing (${minutes.toFixed(1)}m)\n  ${pending} pending\n  ${failing} failing`);
}

for (const signal of ["SIGINT", "SIGTERM"] as const)
	process.once(signal, () => {
		for (const mocha of running) {
			mocha.end();
			report(mocha);
		}
		console.log(`\n${signal}: had not ended: ${[...running].map(({ name }) => name).join(", ")}`);
		close();
		process.exit(1);
	});

const patterns = process.argv.slice(2);
const files = globSync(patterns.length > 0 ? patterns : "test/**/*.test.ts", { cwd: projectRoot }).toSorted();
if (files.length === 0) throw new Error(`No test file is called ${patterns.join(", ")}`);
const { together, alone } = planned(files);
await runAll(together, sideBySide);
await runAll(alone, 1);
await tryAgain();

close();
if (total.failing > 0) process.exitCode = 1;
