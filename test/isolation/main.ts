/**
 * `npm run test:isolation -- [--only NAME]... [--seconds n] [--control NAME] [--containers] [--record]`: a table of the effect of
 * each attack on the other user. With `--containers` the sessions run in containers of a Docker engine, and some use up what they can. The exit code is 1 when something fails or takes too long. With a control, its
 * attack runs on a platform without that protection, and the exit code is 1 when the attack has no effect. The table
 * goes to docs/evidence/isolation.md.
 */
import { readCommandLine, refuseCommandLine } from "#shared/config/command-line.ts";
import { attackNamed, attacks, containedAttacks } from "./attacks.ts";
import { controlNamed } from "./controls.ts";
import { type IsolationReport, isolationRun, notMeasured } from "./isolation-run.ts";
import { keepRecord } from "./record.ts";
import { legend, table } from "./table.ts";
import { buildSessionImage } from "../support/containers/session-image.ts";
import { DockerEngine } from "../support/installations/docker-engine.ts";
import { patchedTree } from "../faults/patched-tree.ts";

const commandTable = {
	usage: "npm run test:isolation [-- options]",
	summary: "What each attack of one user does to another one. Exit code 1: something fails or takes too long.",
	options: {
		only: { type: "string", value: "name", multiple: true, help: "one attack; default: all of them" },
		seconds: { type: "string", value: "n", isNumber: true, default: "8", help: "how long each attack lasts" },
		control: { type: "string", value: "name", help: "runs without a protection; exit code 1: nobody noticed" },
		containers: { type: "boolean", default: false, help: "attacks from sessions in containers of a Docker engine" },
		record: { type: "boolean", default: false, help: "keeps the table in docs/evidence/isolation.md" },
	},
} as const;
const { values } = readCommandLine(commandTable);
const seconds = Number(values.seconds);

/** The options of the command line. */
function found<T>(search: () => T): T {
	try {
		return search();
	} catch (error) {
		if (!(error instanceof RangeError)) throw error;
		return refuseCommandLine(commandTable, error.message);
	}
}

async function attackAll(): Promise<void> {
	const reports: IsolationReport[] = [];
	const all = values.containers ? containedAttacks : attacks;
	for (const attack of found(() => values.only?.map(attackNamed) ?? all)) {
		const report = await isolationRun(attack, seconds).catch((error: unknown) => notMeasured(attack, error));
		console.log(`${report.holds ? "holds " : "BROKEN"} ${table([report]).split("\n").at(-1)}`);
		reports.push(report);
	}
	console.log(`\n${legend}\n\n${table(reports)}`);
	if (values.record) keepRecord(reports, seconds, values.containers ? "containers" : "table");
	if (reports.some(({ holds }) => !holds)) process.exitCode = 1;
}

async function attackWithout(name: string): Promise<void> {
	const { attack, patches } = found(() => controlNamed(name));
	using tree = patchedTree(patches);
	const report = await isolationRun(attackNamed(attack), seconds, tree.root);
	console.log(table([report]));
	console.log(report.holds ? "NOT NOTICED: nothing breaks without the protection" : "noticed");
	if (report.holds) process.exitCode = 1;
}

await using all = new AsyncDisposableStack();
if (values.containers) {
	const engine = all.use(await DockerEngine.start([]));
	buildSessionImage(engine);
	process.env["ATELIER_TEST_ENGINE"] = engine.socket;
	await import("../support/containers/contained-platforms.ts");
}
await (values.control === undefined ? attackAll() : attackWithout(values.control));
