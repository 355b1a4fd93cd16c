/** The rules for every new session of this installation. */
import { readAgentRecords } from "#shared/wire/agents/agent-records.ts";
import { gitProtocols } from "#shared/wire/git/allowed-protocols.ts";
import type { ModelCatalogue } from "#shared/wire/models/model-catalogue.ts";
import type { Platform } from "#host/platform.ts";
import { LocalSources } from "../workspace-sources/local-sources.ts";
import { KnownModels } from "./known-models.ts";

/** The rules, read at the start of the process. */
export type SessionRules = ReturnType<typeof sessionRules>;

/**
 * Reads the rules. An unreadable record of an agent ends the start instead of failing a session later. @throws
 * {AgentRecordError}
 */
export function sessionRules(
	{ config, trustsCallers }: Pick<Platform, "config" | "trustsCallers">,
	catalogue: ModelCatalogue,
) {
	return {
		protocols: gitProtocols(config, trustsCallers),
		/** The limit of a session's cost in US dollars when the request names none; undefined: no limit. */
		sessionLimit: config.budgets.session_limit,
		setupMinutes: config.pods.setup_minutes,
		models: new KnownModels(catalogue),
		locals: new LocalSources(config, trustsCallers),
		agents: readAgentRecords(),
	};
}
