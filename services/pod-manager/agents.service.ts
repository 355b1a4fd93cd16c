/** Offers the coding agents that sessions may use on the bus. */
import type { ServiceSchema } from "moleculer";
import { join } from "node:path";
import { isAllowed } from "#shared/contracts/access/access-table.ts";
import type { WrittenAgent } from "#shared/wire/agents/agent-fields.ts";
import { fittingModels, missingModel } from "#shared/wire/agents/agent-models.ts";
import { installCommand } from "#shared/wire/agents/install-command.ts";
import { readInstalled } from "#shared/wire/agents/installed-agent.ts";
import { missingInstallation } from "#shared/wire/agents/missing-installation.ts";
import { implement } from "#shared/bus/service.ts";
import { type Agent, agents as contract } from "#shared/contracts/agents.ts";
import { memoryPageInOrder } from "#shared/store/pages/memory-page.ts";
import type { ModelCatalogue } from "#shared/wire/models/model-catalogue.ts";
import type { KeyOf } from "#shared/wire/models/provider-key.ts";

/** The most models that are listed per agent. */
const maxModels = 200;

const mcpKinds = { both: ["stdio", "http"], http: ["http"], stdio: ["stdio"], none: [] } as const;

interface AgentsDependencies {
	readonly records: ReadonlyMap<string, WrittenAgent>;
	readonly catalogue: ModelCatalogue;
	readonly keyOf: KeyOf;
	/** The data folder of the platform, absolute. */
	readonly dataDir: string;
	/** Whether agents are in the images of sessions, of which the platform does not know the content. */
	readonly areInImages?: boolean;
	/** The tenant of the operators, who may know the data folder. */
	readonly operators: string;
}

export function agentsService(dependencies: AgentsDependencies): ServiceSchema {
	return {
		name: contract.name,
		actions: implement(contract, {
			async list(page, principal, { meta: { if_none_match: known } }) {
				const { dataDir, operators } = dependencies;
				const shownDataDir = isAllowed(principal, "see-folders", "installation", { operators }) ? dataDir : undefined;
				const all = [...dependencies.records.values()].map((record) => agentOf(record, dependencies, shownDataDir));
				return memoryPageInOrder(all, { ...page, known });
			},
		}),
	};
}

/**
 * Describes an agent. Its installation is checked each time, because it may have been installed meanwhile.
 * @param shownDataDir The data folder for the commands; undefined for callers who must not know it.
 */
function agentOf(
	record: WrittenAgent,
	{ catalogue, keyOf, dataDir, areInImages = false }: AgentsDependencies,
	shownDataDir: string | undefined,
): Agent {
	const { id, title, memory_mb, needs_model, proven, asks, sandboxes = [] } = record;
	const fitting = fittingModels(record, catalogue, keyOf);
	const places = { agents: join(dataDir, "agents"), dataDir: shownDataDir };
	const missing = [missingModel(record, fitting), areInImages ? undefined : missingInstallation(record, places)];
	return {
		id,
		title,
		...(areInImages ? inImages(record) : installationOf(record, places)),
		memory_mb,
		formats: Object.keys(record.wires),
		needs_model,
		models: fitting.slice(0, maxModels).map((model) => model.id),
		asks,
		sandboxes,
		mcp: [...mcpKinds[record.mcp]],
		resumes: record.loads,
		proven,
		missing: missing.filter((sentence) => sentence !== undefined),
	};
}

/** An agent that is installed beside the platform is in no image by that. */
function inImages({ install }: WrittenAgent) {
	if (!install) return comesAlong;
	const { licence, version, size_mb: disk_mb } = install;
	return { licence, version, installed_version: null, install_command: null, disk_mb };
}

const comesAlong = { licence: null, version: null, installed_version: null, install_command: null, disk_mb: 0 };

function installationOf(
	{ id, install }: WrittenAgent,
	{ agents, dataDir }: { readonly agents: string; readonly dataDir: string | undefined },
) {
	if (!install) return comesAlong;
	const { licence, version, size_mb } = install;
	const installed = readInstalled(join(agents, id));
	return {
		licence,
		version,
		installed_version: installed?.version ?? null,
		install_command: installCommand(id, dataDir),
		disk_mb: installed?.size_mb ?? size_mb,
	};
}
