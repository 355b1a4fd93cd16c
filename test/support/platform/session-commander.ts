/** Makes the commands on sessions of a test's own store. */
import { IdempotencyRecords } from "#services/sessions/commands/idempotency-records.ts";
import { RunningLimits } from "#services/sessions/record/running-limits.ts";
import { SessionCommands } from "#services/sessions/commands/session-commands.ts";
import { SessionCreations } from "#services/sessions/commands/session-creations.ts";
import type { SessionRecords } from "#services/sessions/record/session-records.ts";
import { sessionRules } from "#services/sessions/commands/session-rules.ts";
import { loadConfig } from "#shared/config/config.ts";
import { limitsOf } from "#shared/config/limits.ts";
import { readModelCatalogue } from "#shared/wire/models/model-catalogue.ts";
import type { DocumentStore } from "#shared/store/document-store.ts";
import { workspacesOver } from "../workspaces/test-workspaces.ts";

const shipped = readModelCatalogue("config/models.yaml");

/** Returns the commands; nobody is notified of due sessions. */
export function commandsOver(
	records: SessionRecords,
	store: DocumentStore,
	catalogue = shipped,
	quota = {},
): SessionCommands {
	const workspaces = workspacesOver(store, quota);
	const creations = new SessionCreations(records, new IdempotencyRecords(store), workspaces);
	const config = loadConfig({});
	return new SessionCommands({
		records,
		creations,
		workspaces,
		rules: sessionRules({ config, trustsCallers: true }, catalogue),
		running: new RunningLimits(store, limitsOf(config, true)),
		due() {},
	});
}
