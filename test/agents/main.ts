/**
 * `npm run test:agents -- [--record] [ID]...`: what coding agents do under the platform, as a table, and 1 when one does
 * not do what it should; default all of them. The table goes to docs/choosing-an-agent.md.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { projectRoot } from "#shared/project-root.ts";
import { agentTests } from "../test-plan.ts";

const { values, positionals } = parseArgs({ options: { record: { type: "boolean" } }, allowPositionals: true });
const env = {
	...process.env,
	ATELIER_TEST_AGENTS: positionals.join(",") || "all",
	ATELIER_RECORD_AGENTS: values.record ? "yes" : "",
};
const mocha = join(projectRoot, "node_modules/mocha/bin/mocha.js");
const child = spawn(process.execPath, [mocha, ...agentTests], { cwd: projectRoot, env, stdio: "inherit" });
const [code] = (await once(child, "exit")) as [number | null];
process.exitCode = code ?? 1;
