/** Tells which texts of a launch's secrets its log must not show. Pure. */
import type { PodSecrets } from "#shared/contracts/credentials/pod-secrets.ts";

/** Returns the texts. The log has lines, so each line of a longer text is one. */
export function secretTexts({
	variables,
	files,
	git_credentials,
	mcp_servers = [],
}: Omit<PodSecrets, "warnings">): string[] {
	const passwords = git_credentials.flatMap((url) => {
		const { password } = new URL(url);
		return [password, decodeURIComponent(password)];
	});
	const ofServers = mcp_servers.flatMap(({ env }) => Object.values(env));
	const values = [...Object.values(variables), ...files.map(({ content }) => content), ...passwords, ...ofServers];
	return values.flatMap((value) => value.split(/\r?\n/)).filter((line) => !line.startsWith("-----"));
}
