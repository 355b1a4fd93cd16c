/**
 * `npm run test:faults -- [--seed n] [--kills n] [--no-controls] [--record]`: a fault run and the controls, with
 * their table. The exit code is 1 when an invariant does not hold, a failpoint without a test of its own was never visited,
 * or a control breaks nothing.
 */
import { readCommandLine } from "#shared/config/command-line.ts";
import { type ControlReport, controls, runControl } from "./controls.ts";
import { faultRun } from "./fault-run.ts";
import { isBroken } from "./testbed.ts";
import { keepRecord } from "./record.ts";
import { controlTable, table } from "./table.ts";

const { values } = readCommandLine({
	usage: "npm run test:faults [-- options]",
	summary: `A run of faults and its controls. Exit code 1: something does not hold, a failpoint was never visited, or a control
stays green.`,
	options: {
		seed: {
			type: "string",
			value: "n",
			isNumber: true,
			default: String(Date.now() % 1_000_000),
			help: "chooses the faults and their order",
		},
		kills: { type: "string", value: "n", isNumber: true, default: "50", help: "how many processes are killed" },
		controls: { type: "boolean", default: true, help: "leaves out the runs without a protection" },
		record: { type: "boolean", default: false, help: "keeps the table in docs/evidence/faults.md" },
	},
});

console.log(`Seed ${values.seed}`);
const report = await faultRun({ seed: Number(values.seed), kills: Number(values.kills), everyFailpoint: true });
console.log(table(report));
const { neverVisited } = report;
if (neverVisited.length > 0) console.log(`NEVER VISITED: ${neverVisited.join(", ")}`);

const controlled: ControlReport[] = [];
if (values.controls) {
	console.log("Controls: what breaks without a protection, and nothing with it");
	for (const control of controls) {
		const outcome = await runControl(control);
		controlled.push(outcome);
		console.log(controlTable(outcome));
	}
}

if (values.record) keepRecord({ ...report, controls: controlled });
const isWrong = isBroken(report.invariants) || neverVisited.length > 0 || controlled.some(({ works }) => !works);
if (isWrong) process.exitCode = 1;
