/**
 * Makes git ask for the session's credentials: by a helper that git starts for each request, so that they are in no
 * URL, no configuration and no variable. Pure.
 */
import { join } from "node:path";
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import { shellQuoted } from "#shared/wire/pod/environment-file.ts";
import { secretsFolder } from "../io/environment.ts";

/** The file in the folder of the secrets with one URL on each line (git-credential-store(1)). */
export const credentialFile = "git-credentials";

export type GitSetting = readonly [key: string, value: string];

/**
 * Returns the settings: for the hosts of the session's credentials, this helper and no other one. The empty value
 * discards helpers of other files, because git also tells all helpers which credentials worked, and a helper that
 * stores would keep the session's token.
 */
export function credentialSettings(launch: LaunchDocument): GitSetting[] {
	const urls = launch.secrets?.git_credentials ?? [];
	const helper = helperCommand(join(secretsFolder(launch), credentialFile));
	return [...new Set(urls.map(hostOf))].flatMap((host): GitSetting[] => [
		[`credential.${host}.helper`, ""],
		[`credential.${host}.helper`, helper],
	]);
}

/**
 * Returns a helper that only answers questions. Git's own program reads the file; it would also write it: erase a line
 * that a server refused, and add what other helpers know.
 */
function helperCommand(file: string): string {
	return `!f() { test "$1" != get || exec git credential-store --file=${shellQuoted(file)} get; }; f`;
}

/** Returns the settings with which git reads the user and password of one host from descriptor 3, and asks nobody else. */
export function givenCredentialSettings(url: string): GitSetting[] {
	return [
		["credential.helper", ""],
		[`credential.${hostOf(url)}.helper`, `!f() { test "$1" != get || cat <&3; }; f`],
	];
}

/** Whether the session has a credential for the host of a URL; the short form of ssh is none, and uses no credential. */
export function hasCredentialFor(launch: LaunchDocument, url: string): boolean {
	if (!URL.canParse(url)) return false;
	const host = hostOf(url);
	return (launch.secrets?.git_credentials ?? []).some((own) => hostOf(own) === host);
}

/** Returns scheme and host, e.g. `https://git.example:8443`. */
function hostOf(url: string): string {
	const { protocol, host } = new URL(url);
	return `${protocol}//${host}`;
}

/** Returns the settings as variables of git's environment (git-config(1), GIT_CONFIG_COUNT). */
export function settingVariables(settings: readonly GitSetting[]): Record<string, string> {
	if (settings.length === 0) return {};
	const pairs = settings.flatMap(([key, value], index) => [
		[`GIT_CONFIG_KEY_${index}`, key],
		[`GIT_CONFIG_VALUE_${index}`, value],
	]);
	return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) };
}
