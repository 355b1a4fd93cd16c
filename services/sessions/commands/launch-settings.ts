/**
 * Merges the settings of a launch: the request's own settings have precedence over the template's, and these over the
 * defaults.
 */
import type { SessionCreate } from "#shared/contracts/session-resource.ts";
import type { Template } from "#shared/contracts/templates.ts";
import type { LaunchSettings, Repository } from "#shared/pod/launch.ts";
import { chosenAgent } from "./chosen-agent.ts";
import { permissionMode } from "./permission-mode.ts";
import { checkRepository, type GitSource, refuseBadRef } from "./session-source.ts";
import { templateMcpServers } from "./template-mcp-servers.ts";

/**
 * Returns the settings. @throws {UnprocessableError} when the template names something that does not exist or cannot be
 * used.
 */
export function launchSettings(
	request: SessionCreate,
	source: GitSource,
	template: Template | undefined,
	protocols: readonly string[],
): LaunchSettings {
	const { repos, setup_scripts, workspace_layout, env_vars, ...prompts } = template ?? noTemplate;
	const { root } = workspace_layout;
	return {
		name: request.name,
		model: request.model || prompts.model || "",
		repositories: [ownRepository(source), ...furtherRepositories(repos, protocols)],
		setup_scripts: [...setup_scripts],
		working_folder: typeof root === "string" ? root : "",
		system_prompt: request.system_prompt || prompts.system_prompt || "",
		initial_prompt: request.initial_prompt,
		env: { ...env_vars },
		agent: chosenAgent(request, template),
		mcp_servers: templateMcpServers(template),
		permission_mode: permissionMode(request, template),
		git_protocols: [...protocols],
	};
}

type Blueprint = Pick<
	Template,
	"repos" | "setup_scripts" | "workspace_layout" | "env_vars" | "model" | "system_prompt"
>;

const noTemplate: Blueprint = { repos: [], setup_scripts: [], workspace_layout: {}, env_vars: {} };

function ownRepository({ repo, branch, base_branch }: GitSource): Repository {
	return { url: repo, branch, base_branch, path: "" };
}

/**
 * Returns the repositories behind a template's first one, which is the workspace itself; the others are folders in it.
 */
function furtherRepositories(repos: Template["repos"], protocols: readonly string[]): Repository[] {
	return repos.slice(1).map(({ url, branch, path }) => {
		if (branch !== "") refuseBadRef(branch);
		return { url: checkRepository(url, protocols), branch: branch || "main", base_branch: "", path };
	});
}
