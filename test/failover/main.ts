/**
 * `npm run test:failover -- [--rounds n] [--seed n] [--control] [--record]`: a replica set of three loses its primary
 * n times. The exit code is 1 when anything was lost, doubled or late. With `--control` it runs without the
 * protection, and the exit code is 1 when nothing was.
 */
import { readCommandLine } from "#shared/config/command-line.ts";
import { patchedTree } from "../faults/patched-tree.ts";
import { withoutMongod } from "../support/stores/mongod-set.ts";
import { controlPatches } from "./control.ts";
import { failoverRun, seededKinds } from "./failover-run.ts";
import { isBroken, keepTable, row, table } from "./table.ts";

const { values } = readCommandLine({
	usage: "npm run test:failover [-- options]",
	summary:
		"A replica set of three loses its primary again and again. Exit code 1: something was lost, doubled or late.",
	options: {
		rounds: { type: "string", value: "n", isNumber: true, default: "20", help: "how often the primary is lost" },
		seed: { type: "string", value: "n", isNumber: true, default: "1", help: "chooses the order of the rounds" },
		control: { type: "boolean", default: false, help: "runs without the protection; exit code 1: nobody noticed" },
		record: { type: "boolean", default: false, help: "keeps the table in docs/evidence/faults.md" },
	},
});

if (withoutMongod !== undefined) {
	console.error(`The failover run cannot be done: ${withoutMongod}`);
	process.exit(1);
}
const seed = Number(values.seed);
const kinds = seededKinds(Number(values.rounds), seed);
using tree = values.control ? patchedTree(controlPatches) : undefined;
let number = 0;
const report = await failoverRun({
	kinds,
	seed,
	...(tree && { root: tree.root }),
	onRound(round) {
		console.log(row(round, number++));
		for (const sentence of round.wrong) console.log(`  ${sentence}`);
	},
});
console.log(`\n${table(report)}`);
const broken = report.rounds.filter((round) => isBroken(round)).length;
console.log(broken === 0 ? "Nothing is lost, doubled or late" : `BROKEN in ${broken} rounds`);
if (values.record) keepTable(report);
if (broken > 0 !== values.control) process.exitCode = 1;
