/**
 * `npm test` runs the tests that need nothing but git, Node.js and npm, and take no more than minutes. `npm run
 * test:all` runs every test but those of the night, and `npm run test:night` runs these. `npm test -- 'test/e2e/chat/*.test.ts' …` runs those files, whatever they need.
 */
import { globSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { readCommandLine, refuseCommandLine } from "#shared/config/command-line.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { leftOutLines } from "./left-out.ts";
import { findProgram } from "./support/machine/test-program.ts";
import { chosenTests, type Selection, type TestChoice } from "./test-choice.ts";
import { planned, usesAgents } from "./test-plan.ts";
import { TestRun } from "./test-run.ts";

const commandTable = {
	usage: "npm test [-- <file>...], npm run test:all [-- options], or npm run test:night [-- options]",
	summary: `npm test runs every test that needs nothing but git, Node.js and npm and does not take long; npm run test:all runs
all but those that take so long that they run at night, and npm run test:night runs these. Exit code 1: a test failed, or a program is not there.`,
	operands: {
		help: { "<file>": "a test file, a folder or a pattern, e.g. 'test/e2e/chat/*.test.ts'; runs these and no others" },
	},
	options: {
		all: { type: "boolean", default: false, help: "every test but those of the night; npm run test:all says so" },
		night: { type: "boolean", default: false, help: "the tests of the night; npm run test:night says so" },
		rest: { type: "boolean", default: false, help: "only the tests that npm test leaves out" },
		without: {
			type: "string",
			value: "program",
			multiple: true,
			help: "leaves out what needs this program; a missing program is a failure otherwise",
		},
	},
} as const;

/** The count of processes may exceed that of processors, because tests mostly wait, those of `npm test` most of all. */
const sideBySide = { quick: 2 * availableParallelism(), long: availableParallelism() + 1 };

const { values, positionals: patterns } = readCommandLine(commandTable);
const selection = selectionOf(values);
// The module that chooses the agents reads this variable (support/agents/proven-agents.ts).
if (selection !== "quick") process.env["ATELIER_TEST_AGENTS"] ??= "all";

const run = new TestRun();
for (const signal of ["SIGINT", "SIGTERM"] as const)
	process.once(signal, () => {
		console.log(`\n${signal}`);
		run.end();
		run.close([]);
		process.exit(1);
	});

const { files, leftOut, missing } = patterns.length > 0 ? named() : chosen();
const isQuick = selection === "quick" && patterns.length === 0;
await run.run(planned(files), isQuick ? sideBySide.quick : sideBySide.long);
run.close([
	...missing.map((program) => `MISSING: ${program}; npm run servers -- get ${program}`),
	...leftOutLines(leftOut),
	...(await leftOutAgentLines()),
]);
if (run.hasFailed || missing.length > 0) process.exitCode = 1;

function selectionOf({ night, rest, all }: typeof values): Selection {
	if (night) return "night";
	if (rest) return "rest";
	return all ? "all" : "quick";
}

function named(): TestChoice {
	const inFolders = patterns.map((pattern) => join(pattern, "**/*.test.ts"));
	const found = globSync([...patterns, ...inFolders], { cwd: projectRoot })
		.filter(isFile)
		.toSorted();
	if (found.length === 0) refuseCommandLine(commandTable, `No test file is called ${patterns.join(", ")}`);
	return { files: found, leftOut: [], missing: [] };
}

function isFile(path: string): boolean {
	return statSync(resolve(projectRoot, path)).isFile();
}

function chosen(): TestChoice {
	const every = globSync("test/**/*.test.ts", { cwd: projectRoot }).toSorted();
	const isThere = (program: string) => program === "agents" || findProgram(program) !== undefined;
	return chosenTests(every, { selection, without: values.without ?? [] }, isThere);
}

async function leftOutAgentLines(): Promise<string[]> {
	if (!files.some(usesAgents)) return [];
	const { leftOutAgents } = await import("./support/agents/proven-agents.ts");
	return leftOutAgents.length === 0
		? []
		: [`Left out: the coding agents ${leftOutAgents.join(", ")} (npm run test:all)`];
}
