/**
 * `npm run test:agents -- [--record] [ID]...`: checks coding agents under the platform, by default all of them, and
 * prints a table. The exit code is 1 when one fails. The table goes to docs/choosing-an-agent.md.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { join } from "node:path";
import { readAgentRecords } from "#shared/wire/agents/agent-records.ts";
import { readCommandLine, refuseCommandLine } from "#shared/config/command-line.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { usesAgents } from "../test-plan.ts";

const commandTable = {
	usage: "npm run test:agents [-- <id>... --record]",
	summary:
		"Installs coding agents and checks what they do under the platform. Exit code 1: one does not do what it should.",
	operands: { help: { "<id>": "a coding agent (npm run agents -- list); default: all of them" } },
	options: { record: { type: "boolean", help: "keeps the table in docs/choosing-an-agent.md" } },
} as const;
const { values, positionals } = readCommandLine(commandTable);
const known = [...readAgentRecords().keys()];
const unknown = positionals.find((id) => !known.includes(id));
if (unknown !== undefined)
	refuseCommandLine(commandTable, `There is no coding agent "${unknown}"; there are ${known.join(", ")}`);
const env = {
	...process.env,
	ATELIER_TEST_AGENTS: positionals.join(",") || "all",
	ATELIER_RECORD_AGENTS: values.record ? "yes" : "",
};
const mocha = join(projectRoot, "node_modules/mocha/bin/mocha.js");
const child = spawn(
	process.execPath,
	[mocha, ...globSync("test/**/*.test.ts", { cwd: projectRoot }).filter(usesAgents)],
	{ cwd: projectRoot, env, stdio: "inherit" },
);
const [code] = (await once(child, "exit")) as [number | null];
process.exitCode = code ?? 1;
