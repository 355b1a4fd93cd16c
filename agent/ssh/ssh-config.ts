/**
 * Tells ssh of the way out in pods that have no network: through the proxy, with the keys of the launch, and only to hosts whose
 * keys are known (docs/decisions/0157-host-keys-are-known-or-refused.md).
 */
import { join } from "node:path";
import { createFile } from "#shared/base/files/replaced-file.ts";
import { madeFolder } from "#shared/base/files/untrusted-folder.ts";
import { loopbackHost } from "#shared/wire/pod/agent-url.ts";
import { doorWays } from "#shared/wire/pod/door/door-sockets.ts";
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";

/** The folder of ssh in a home folder (ssh(1), FILES). */
const folderOfSsh = ".ssh";
const connectProgram = join(import.meta.dirname, "connect.ts");
/** Those of public git hosts, and those of the image, which are the operator's. */
const systemKeys = [join(import.meta.dirname, "known_hosts"), "/etc/ssh/ssh_known_hosts"];

/** Writes the settings into the home folder; those of a credential of the session have precedence. */
export async function writeSshConfig(launch: LaunchDocument): Promise<void> {
	if (launch.door === undefined) return;
	await using folder = await madeFolder(join(launch.home, folderOfSsh));
	await createFile(folder.path("config"), sshConfig(launch));
}

/** Returns the settings (ssh_config(5)). Servers of the pod itself are reached as usual. */
export function sshConfig({ home, secrets }: Pick<LaunchDocument, "home" | "secrets">): string {
	const names = namesOf(secrets?.files ?? []);
	const path = (name: string): string => `"${join(home, folderOfSsh, name)}"`;
	const knownHosts = ["known_hosts", ...names.filter((name) => name.endsWith(".known_hosts"))];
	const keys = names.filter((name) => !/(\.pub|known_hosts)$/.test(name));
	const proxy = `${loopbackHost}:${doorWays.egress.port}`;
	return [
		"Host * !localhost !127.* !::1",
		`	ProxyCommand "${process.execPath}" "${connectProgram}" ${proxy} %h %p`,
		"Host *",
		`	UserKnownHostsFile ${knownHosts.map(path).join(" ")}`,
		`	GlobalKnownHostsFile ${systemKeys.map((file) => `"${file}"`).join(" ")}`,
		"	StrictHostKeyChecking yes",
		"	UpdateHostKeys no",
		"	BatchMode yes",
		...keys.map((name) => `	IdentityFile ${path(name)}`),
		"",
	].join("\n");
}

/** Returns the names of the files that credentials put into the folder of ssh. */
function namesOf(files: NonNullable<LaunchDocument["secrets"]>["files"]): string[] {
	const own = files.filter(({ root, path }) => root === "home" && path.startsWith(`${folderOfSsh}/`));
	return own.map(({ path }) => path.slice(folderOfSsh.length + 1)).filter((name) => !name.includes("/"));
}
