/** What holds for every new session of this installation. */
import type { WrittenAgent } from "#shared/agents/agent-fields.ts";
import { readAgentRecords } from "#shared/agents/agent-records.ts";
import { gitProtocols } from "#shared/git/allowed-protocols.ts";
import type { ModelCatalogue } from "#shared/models/model-catalogue.ts";
import type { Platform } from "#shared/platform.ts";
import { KnownModels } from "./known-models.ts";

export interface SessionRules {
	/** Protocols a repository may be named with. */
	readonly protocols: readonly string[];
	/** US dollars it may spend, when the request does not say; absent: no limit. */
	readonly sessionLimit?: number | undefined;
	readonly models: KnownModels;
	/** The coding agents there are, by id. */
	readonly agents: ReadonlyMap<string, WrittenAgent>;
}

/** A record of an agent that cannot be read ends the start: nobody should find out from a session. @throws {AgentRecordError} */
export function sessionRules(
	{ config, trustsCallers }: Pick<Platform, "config" | "trustsCallers">,
	catalogue: ModelCatalogue,
): SessionRules {
	return {
		protocols: gitProtocols(config, trustsCallers),
		sessionLimit: config.budgets.session_limit,
		models: new KnownModels(catalogue),
		agents: readAgentRecords(),
	};
}
