/** Makes the warnings of a new session: what its owner may not expect. Pure. */
import type { WrittenAgent } from "#shared/wire/agents/agent-fields.ts";
import { unaskedActions } from "#shared/wire/agents/unasked-actions.ts";
import type { SessionCreate } from "#shared/contracts/sessions/session-resource.ts";
import type { LaunchSettings } from "#shared/wire/pod/launch.ts";
import { readResources } from "#shared/wire/pod/resource-limits.ts";
import type { Blueprints } from "./launch-levels/merged-request.ts";
import { misspeltMembers } from "./launch-levels/misspelt-members.ts";
import { unfilledPlaceholders } from "./unfilled-placeholders.ts";

export function sessionWarnings(
	request: SessionCreate,
	launch: LaunchSettings,
	agent: WrittenAgent | undefined,
	blueprints: Blueprints = {},
): string[] {
	const actions = agent && launch.permission_mode === "ask" ? unasked(launch, agent) : [];
	const { warnings } = readResources(launch.resource_config ?? {});
	return [
		...ignored(request),
		...warnings,
		...carried(blueprints),
		...misspeltMembers(blueprints),
		...unfilled(launch),
		...actions,
	];
}

/** Returns warnings about members of blueprints that are stored and do nothing yet. */
function carried({ preset, profile, template, defaultProfile }: Blueprints): string[] {
	const { skills = [], rules = [], terminal_sidecar = {} } = preset ?? {};
	const secrets = [preset, profile, template, defaultProfile].flatMap((one) => one?.env_secret_refs ?? []);
	const members: [members: readonly unknown[], warning: string][] = [
		[skills, "skills: skills of a preset are not installed by this version"],
		[rules, "rules: rules of a preset are not installed by this version"],
		[Object.keys(terminal_sidecar), "terminal_sidecar: this version has no terminal"],
		[secrets, "env_secret_refs: this runtime has no cluster secrets"],
	];
	return members.flatMap(([found, warning]) => (found.length > 0 ? [warning] : []));
}

/** Returns warnings about prompts that still have placeholders; the agent gets the texts as they are. */
function unfilled({ system_prompt, initial_prompt }: LaunchSettings): string[] {
	return Object.entries({ system_prompt, initial_prompt }).flatMap(([member, text]) => {
		const sentence = unfilledPlaceholders(text);
		return sentence === undefined ? [] : [`${member}: ${sentence}`];
	});
}

/**
 * Returns warnings about requested features that are ignored; the session runs without them (specification, Credential
 * storage 5).
 */
function ignored(request: SessionCreate): string[] {
	const members = [request.terminal_restricted && "terminal_restricted: this version has no terminal"];
	return members.filter((warning) => warning !== false);
}

function unasked({ mcp_servers }: LaunchSettings, agent: WrittenAgent): string[] {
	return unaskedActions(agent, mcp_servers.length > 0).map((sentence) => `permission_mode: ${sentence}`);
}
