/** Maps a connection to what a launch gets of its credential, by its definition. Pure. */
import type { LaunchMapping } from "#shared/contracts/credentials/launch-mapping.ts";
import type { IntegrationDefinition } from "#shared/contracts/integrations/definition-fields.ts";
import type { Connection } from "#shared/contracts/integrations/integrations.ts";
import { type ServedSession, serves } from "./served-sessions.ts";

/** Returns the mapping; undefined when the session gets nothing of the connection. */
export function launchMapping(
	definition: IntegrationDefinition,
	connection: Connection,
	session: ServedSession,
): LaunchMapping | undefined {
	const { slug, env_from_credentials, file_mounts, mcp_server } = definition;
	const mapping: LaunchMapping = {
		source: `integration "${slug}"`,
		credential_name: connection.credential_name,
		variables: { ...mcp_server?.env_from_credentials, ...env_from_credentials },
		files: { ...file_mounts },
		git_hosts: gitHosts(definition, connection),
		mcp_servers: mcp_server && serves(definition, connection.config, session) ? [serverOf(mcp_server)] : [],
	};
	const { variables, files, git_hosts, mcp_servers } = mapping;
	const parts = [...Object.keys(variables), ...Object.keys(files), ...git_hosts, ...mcp_servers];
	return parts.length === 0 ? undefined : mapping;
}

function serverOf({
	name,
	command,
	args,
	env_from_credentials: env,
}: NonNullable<IntegrationDefinition["mcp_server"]>) {
	return { name, command, args: [...args], env: { ...env } };
}

/** Returns the host of the repositories: that of the connection's own server, or else that of the definition. */
function gitHosts({ git_credential }: IntegrationDefinition, { config }: Connection): LaunchMapping["git_hosts"] {
	if (!git_credential) return [];
	const { username, field, url, config_key, drop_prefix } = git_credential;
	const origin = originOf(settingOf(config, config_key) ?? url, drop_prefix);
	return origin === undefined ? [] : [{ url: origin, username, field }];
}

/** Returns the origin of a URL without the start of its host; undefined for a text that is no URL. */
function originOf(text: string, prefix: string): string | undefined {
	if (!URL.canParse(text)) return undefined;
	const { protocol, host } = new URL(text);
	const name = prefix !== "" && host.startsWith(prefix) ? host.slice(prefix.length) : host;
	return `${protocol}//${name}`;
}

/** Returns a setting of a connection; undefined when it is absent or empty. */
export function settingOf(config: Readonly<Record<string, string>>, key: string): string | undefined {
	const value = Object.hasOwn(config, key) ? config[key] : undefined;
	return value === "" ? undefined : value;
}
