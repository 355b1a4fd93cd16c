/** `npm run test:faults -- [--seed n] [--kills n] [--record]`: a fault run, its table, and 1 when something does not hold. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { projectRoot } from "#shared/project-root.ts";
import { faultRun } from "./fault-run.ts";
import { table } from "./table.ts";

const { values } = parseArgs({
	options: {
		seed: { type: "string", default: String(Date.now() % 1_000_000) },
		kills: { type: "string", default: "50" },
		record: { type: "boolean", default: false },
	},
});

console.log(`Seed ${values.seed}`);
const report = await faultRun({ seed: Number(values.seed), kills: Number(values.kills) });
console.log(table(report));
if (values.record) {
	const folder = join(projectRoot, "bench", "results");
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, "faults.json"), `${JSON.stringify(report, undefined, "\t")}\n`);
}
if (Object.values(report.invariants).some((wrong) => wrong.length > 0)) process.exitCode = 1;
