/**
 * Finds members of a blueprint's free-form fields that are probably misspelt, because a session is started without them. Those of
 * `resource_config` are told with the resources themselves (shared/wire/pod/resource-limits.ts). Pure.
 */
import { mcpServerNames, workloadNames } from "#shared/contracts/free-form-names.ts";
import { nearestName } from "#shared/base/nearest-name.ts";
import type { Blueprints } from "./merged-request.ts";

/** The most sentences about one blueprint. */
const maxTold = 10;

interface FreeForm {
	readonly name: string;
	readonly workload_config: Readonly<Record<string, unknown>>;
	readonly mcp_servers: readonly Readonly<Record<string, unknown>>[];
}

/** Returns a sentence for each such member of the blueprints of a session. */
export function misspeltMembers({ preset, profile, template, defaultProfile }: Blueprints): string[] {
	return [
		...within("Preset", preset),
		...within("Profile", profile ?? defaultProfile),
		...within("Template", template),
	];
}

function within(noun: string, blueprint: FreeForm | undefined): string[] {
	if (blueprint === undefined) return [];
	const { name, workload_config, mcp_servers } = blueprint;
	const found = [
		...near("workload_config", workload_config, workloadNames),
		...mcp_servers.flatMap((server, index) => near(`mcp_servers.${index}`, server, mcpServerNames)),
	];
	return found.slice(0, maxTold).map((words) => `${noun} "${name}": ${words}`);
}

function near(path: string, value: Readonly<Record<string, unknown>>, names: readonly string[]): string[] {
	return Object.keys(value).flatMap((key) => {
		const meant = names.includes(key) ? undefined : nearestName(names, key);
		return meant === undefined ? [] : [`unknown member "${path}.${key}"; did you mean "${meant}"?`];
	});
}
