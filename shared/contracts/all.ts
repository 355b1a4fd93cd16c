/** The contracts whose routes the gateway serves. */
import type { Contract } from "./contract.ts";
import { agents } from "./agents.ts";
import { presets } from "./blueprints/presets.ts";
import { repositories } from "./git/repositories.ts";
import { profiles } from "./blueprints/profiles.ts";
import { audit } from "./audit.ts";
import { prompts } from "./blueprints/prompts.ts";
import { budgets } from "./sessions/budgets.ts";
import { confidence } from "./git/confidence.ts";
import { credentials } from "./credentials/credentials.ts";
import { chronicles } from "./sessions/chronicles.ts";
import { pulls } from "./git/pulls.ts";
import { features } from "./settings/features.ts";
import { history } from "./sessions/history.ts";
import { identity } from "./identity/identity.ts";
import { oauth } from "./integrations/oauth.ts";
import { tenants } from "./identity/tenants.ts";
import { users } from "./identity/users.ts";
import { integrations } from "./integrations/integrations.ts";
import { mcpServers } from "./settings/mcp-servers.ts";
import { models } from "./models.ts";
import { resources } from "./settings/resources.ts";
import { secrets } from "./settings/secrets.ts";
import { sessionEvents } from "./sessions/session-events.ts";
import { sessionControl } from "./sessions/session-control.ts";
import { sessions } from "./sessions/sessions.ts";
import { settings } from "./settings/settings.ts";
import { stream } from "./stream.ts";
import { templates } from "./templates.ts";
import { tokens } from "./pat/tokens.ts";
import { issues } from "./tracker/issues.ts";
import { mappings } from "./tracker/mappings.ts";
import { tracker } from "./tracker/tracker.ts";
import { usage } from "./sessions/usage.ts";
import { webhooks } from "./git/webhooks.ts";
import { workspaces } from "./workspaces/workspaces.ts";

export const publicContracts: readonly Contract[] = [
	agents,
	audit,
	budgets,
	chronicles,
	confidence,
	credentials,
	features,
	history,
	identity,
	integrations,
	issues,
	mappings,
	mcpServers,
	oauth,
	models,
	resources,
	presets,
	repositories,
	profiles,
	prompts,
	pulls,
	secrets,
	sessionControl,
	sessionEvents,
	sessions,
	settings,
	stream,
	templates,
	tenants,
	tokens,
	tracker,
	usage,
	users,
	webhooks,
	workspaces,
];
