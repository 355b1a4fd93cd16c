/**
 * `npm run test:cluster -- [--seed n] [--faults n] [--minutes n] [--cuts n] [--record]`: a cluster under faults, and power cuts. The
 * exit code is 1 when an invariant does not hold, or something acknowledged was lost or late.
 */
import { readCommandLine } from "#shared/config/command-line.ts";
import { withoutMongod } from "../../support/stores/mongod-set.ts";
import { isBroken } from "../testbed.ts";
import { clusterRun } from "./cluster-run.ts";
import { clusterTable, cutRow, keepClusterTable, powerCutTable } from "./cluster-table.ts";
import { isBad, powerCutRun } from "./power-cut.ts";

const { values } = readCommandLine({
	usage: "npm run test:cluster [-- options]",
	summary: `Two gateways, two cores and two pod managers over NATS and three MongoDB servers, while all of them fail. Exit code 1:
something does not hold.`,
	options: {
		seed: {
			type: "string",
			value: "n",
			isNumber: true,
			default: String(Date.now() % 1_000_000),
			help: "chooses the faults and their order",
		},
		faults: { type: "string", value: "n", isNumber: true, default: "200", help: "how many faults; 0: none" },
		minutes: { type: "string", value: "n", isNumber: true, default: "30", help: "no fault begins later than this" },
		cuts: { type: "string", value: "n", isNumber: true, default: "20", help: "how many power cuts; 0: none" },
		record: { type: "boolean", default: false, help: "keeps the tables in docs/evidence/faults.md" },
	},
});

if (withoutMongod !== undefined) {
	console.error(`The cluster cannot be started: ${withoutMongod}`);
	process.exit(1);
}
const [seed, faults, cuts] = [values.seed, values.faults, values.cuts].map(Number) as [number, number, number];
console.log(`Seed ${seed}`);

if (faults > 0) {
	const since = performance.now();
	const onFault = (name: string, number: number) =>
		console.log(`${Math.round((performance.now() - since) / 1_000)} s: fault ${number}, ${name}`);
	const onOutput = (folder: string) => console.log(`The output of all processes is in ${folder}`);
	const report = await clusterRun({ seed, faults, minutes: Number(values.minutes), onFault, onOutput });
	const table = clusterTable(report);
	console.log(`\n${table}\n`);
	if (values.record) keepClusterTable("cluster", table);
	if (isBroken(report.invariants) || report.wrong.length > 0) process.exitCode = 1;
}

if (cuts > 0) {
	const report = await powerCutRun({ seed, cuts, onCut: (cut, number) => console.log(cutRow(cut, number)) });
	const table = powerCutTable(report);
	console.log(`\n${table}`);
	if (values.record) keepClusterTable("power cuts", table);
	if (report.cuts.some((cut) => isBad(cut))) process.exitCode = 1;
}
