/** Installs real coding agents for tests once, by the platform's own command, for later runs too. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";

/**
 * The data folder with the installed agents, which exists until the next `npm ci`; `ATELIER_AGENT_CACHE` names another
 * one.
 */
export const agentCache = process.env["ATELIER_AGENT_CACHE"] || join(projectRoot, "node_modules", ".cache", "atelier");

/**
 * Installs agents and prints the duration. @throws {Error} with the output of the command when one cannot be installed.
 */
export async function installAgents(ids: readonly string[]): Promise<void> {
	mkdirSync(agentCache, { recursive: true });
	const { said, code } = await runAgents(["install", ...ids]);
	console.log(said.trimEnd().replaceAll(/^/gm, "    "));
	if (code !== 0) throw new Error(`Agents cannot be installed:\n${said}`);
}

export interface AgentsRun {
	said: string;
	code: number | null;
}

/**
 * Runs `npm run agents -- …`. @param env Variables that have precedence over the data folder of the cache and the
 * environment of the test.
 */
export async function runAgents(args: readonly string[], env: Record<string, string> = {}): Promise<AgentsRun> {
	const child = spawn(process.execPath, ["cli/agents.ts", ...args], {
		cwd: projectRoot,
		env: { ...process.env, DATA_DIR: agentCache, ...env },
		stdio: ["ignore", "pipe", "pipe"],
	});
	let said = "";
	const keep = (chunk: Buffer): void => void (said += chunk.toString("utf8"));
	child.stdout.on("data", keep);
	child.stderr.on("data", keep);
	const [code] = (await once(child, "close")) as [number | null];
	return { said, code };
}
