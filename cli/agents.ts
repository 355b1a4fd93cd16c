/**
 * `npm run agents -- list | install <id> | remove <id>` lists the coding agents and installs those that are installed
 * on request into `agents/` of the data folder. `npm run --silent agents -- markdown` prints the table in
 * docs/choosing-an-agent.md. The exit code is 0, 1 when something failed, or 2 for a command that was not understood.
 */
import { join } from "node:path";
import type { WrittenAgent } from "#shared/wire/agents/agent-fields.ts";
import { fittingModels, missingModel } from "#shared/wire/agents/agent-models.ts";
import { readAgentRecords } from "#shared/wire/agents/agent-records.ts";
import { readCommandLine, refuseCommandLine } from "#shared/config/command-line.ts";
import { refuseUnusableFiles } from "#shared/base/files/unusable-files.ts";
import { StartError } from "#shared/base/start-error.ts";
import { type Config, environmentSecret, loadConfig } from "#shared/config/config.ts";
import { readModelCatalogue } from "#shared/wire/models/model-catalogue.ts";
import { AgentInstaller, InstallError } from "./agents/agent-installer.ts";
import { agentMarkdown } from "./agents/agent-markdown.ts";
import { agentTable } from "./agents/agent-table.ts";
import { ProgressOutput } from "./progress-output.ts";

const commandTable = {
	usage: "npm run agents -- list | install <id>... | remove <id>... | markdown",
	summary:
		"The coding agents there are, and those that are installed into the data folder. Exit code 1: something failed.",
	operands: {
		help: {
			list: "shows every agent, its size, and whether it is installed (default)",
			"install <id>...": "installs agents with npm; does nothing for one that is installed already",
			"remove <id>...": "removes agents that were installed",
			markdown: "prints the table in docs/choosing-an-agent.md",
		},
	},
	options: {},
} as const;

type Records = ReturnType<typeof readAgentRecords>;

/** Returns the record of an installable agent. @throws {InstallError} when there is none, or nothing to install. */
function installable(records: Records, id: string) {
	const record = records.get(id);
	if (!record) throw new InstallError(`There is no coding agent "${id}"; known: ${[...records.keys()].join(", ")}`);
	if (!record.install) throw new InstallError(`The coding agent "${id}" comes with the platform`);
	return { record, recipe: record.install };
}

/** Warns before the download that the agent has no usable model; the person may mean to set a key later. */
function warnOfMissingModel(record: WrittenAgent, { models }: Config): void {
	const sentence = missingModel(record, fittingModels(record, readModelCatalogue(models.file), environmentSecret));
	if (sentence !== undefined) console.log(`Warning: ${sentence}`);
}

/** Runs a command; resolves to false when it was not understood. */
async function run(command: string, ids: readonly string[]): Promise<boolean> {
	const records = readAgentRecords();
	const config = loadConfig();
	const installer = new AgentInstaller(join(config.data_dir, "agents"), new ProgressOutput(process.stdout));
	for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => installer.abort());
	if (command === "list") {
		console.log(agentTable([...records.values()], (id) => installer.installed(id)));
		return ids.length === 0;
	}
	if (command === "markdown") {
		process.stdout.write(agentMarkdown([...records.values()]));
		return ids.length === 0;
	}
	const chosen = ids.map((id) => installable(records, id));
	refuseUnusableFiles(config.data_dir, { agents: 1 });
	if (command === "install") for (const { record } of chosen) warnOfMissingModel(record, config);
	for (const { record, recipe } of chosen) {
		if (command === "install") await installer.install(record.id, recipe);
		if (command === "remove") await installer.remove(record.id);
	}
	return chosen.length > 0 && ["install", "remove"].includes(command);
}

try {
	const [command = "list", ...ids] = readCommandLine(commandTable).positionals;
	const isUnderstood = await run(command, ids);
	if (!isUnderstood) refuseCommandLine(commandTable, `Cannot do "${[command, ...ids].join(" ")}"`);
} catch (error) {
	if (!(error instanceof InstallError || error instanceof StartError)) throw error;
	console.error(error.message);
	process.exitCode = 1;
}
