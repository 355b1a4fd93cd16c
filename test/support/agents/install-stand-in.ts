/**
 * Installs a program of the tests in the place of a coding agent that is installed on request; the agent's record
 * starts it.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { readAgentRecord } from "#shared/wire/agents/agent-records.ts";
import { installedFile } from "#shared/wire/agents/installed-agent.ts";

/** Installs the program. @param dataDir The platform's data folder. @param program A file of this folder. */
export function installStandIn(dataDir: string, agent: string, program: string): void {
	const { install } = readAgentRecord(agent);
	if (!install) throw new Error(`Nothing is installed for "${agent}"`);
	const folder = join(dataDir, "agents", agent);
	const entry = join(folder, install.entry);
	mkdirSync(dirname(entry), { recursive: true });
	writeFileSync(join(folder, installedFile), JSON.stringify({ version: install.version }));
	writeFileSync(entry, `import ${JSON.stringify(pathToFileURL(join(import.meta.dirname, program)).href)};\n`);
}
