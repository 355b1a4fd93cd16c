/** The members of a custom resource with a template, by their names in the cluster, and the template's names for them. Pure. */
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import type { resourceNames, workloadNames } from "#shared/contracts/free-form-names.ts";
import type { Template } from "#shared/contracts/templates.ts";

/** The members of `spec`. The name of a template is `metadata.name`. */
export const templateMembers = {
	description: "description",
	repos: "repos",
	setupScripts: "setup_scripts",
	workspaceLayout: "workspace_layout",
	isDefault: "is_default",
	workloadType: "workload_type",
	model: "model",
	systemPrompt: "system_prompt",
	resourceConfig: "resource_config",
	mcpServers: "mcp_servers",
	envVars: "env_vars",
	envSecretRefs: "env_secret_refs",
	workloadConfig: "workload_config",
	sessionDefinition: "session_definition",
} as const satisfies Readonly<Record<string, keyof Template>>;

export const workloadMembers = {
	agent: "agent",
	permissionMode: "permission_mode",
	initialPrompt: "initial_prompt",
	terminalRestricted: "terminal_restricted",
	image: "image",
	placement: "placement",
	egress: "egress",
	egressHosts: "egress_hosts",
} as const satisfies Readonly<Record<string, (typeof workloadNames)[number]>>;

export const resourceMembers = {
	cpu: "cpu",
	memory: "memory",
	disk: "disk",
	gpu: "gpu",
	gpuType: "gpu_type",
} as const satisfies Readonly<Record<string, (typeof resourceNames)[number] | "disk" | "gpu_type">>;

type Names = Readonly<Record<string, string>>;

/** The members whose own members have other names, too. The keys of other maps are words of the author. */
const within: Readonly<Record<string, Names>> = { workload_config: workloadMembers, resource_config: resourceMembers };

/** Returns the members of a `spec` as a template has them, unchecked. A member that is not known keeps its name. */
export function templateFields(spec: Readonly<Record<string, unknown>>): Record<string, unknown> {
	const fields = Object.entries(renamed(spec, templateMembers)).map(([name, value]) => {
		const inner = within[name];
		return [name, inner && isJsonObject(value) ? renamed(value, inner) : value];
	});
	return Object.fromEntries(fields) as Record<string, unknown>;
}

/** Returns where a member of a template stands in the custom resource, such as `spec.workloadConfig.egressHosts`. */
export function placeInResource([first, second, ...rest]: readonly (string | number)[]): string {
	const name = String(first ?? "");
	const inner = within[name];
	const next = second === undefined ? [] : [inner ? nameInResource(inner, String(second)) : second];
	return ["spec", nameInResource(templateMembers, name), ...next, ...rest].filter((part) => part !== "").join(".");
}

function renamed(value: Readonly<Record<string, unknown>>, names: Names): Record<string, unknown> {
	const entries = Object.entries(value).map(([name, member]) => [
		Object.hasOwn(names, name) ? names[name] : name,
		member,
	]);
	return Object.fromEntries(entries) as Record<string, unknown>;
}

function nameInResource(names: Names, field: string): string {
	return Object.entries(names).find(([, name]) => name === field)?.[0] ?? field;
}
