/** Tells what a person can do about a refusal of a git host. Pure. */

const credential =
	"store a credential of the type git_credential for this host and name it in credential_names, or connect the host (docs/credentials.md)";

/** The words of git, ssh and git hosts, and the remedy; the first that fits counts. */
const remedies: readonly (readonly [said: RegExp, remedy: string])[] = [
	[
		/Host key verification failed/i,
		"add the key of the host to ~/.ssh/known_hosts of the user that runs the platform, or for sessions in containers to their ssh_key (docs/session-containers.md)",
	],
	[
		/No user exists for uid/i,
		"the image of the session needs a line for that user in its /etc/passwd (docs/session-containers.md)",
	],
	[/The connection to \S+ is refused/, "the way out of the session does not lead there (docs/session-containers.md)"],
	[
		/Permission denied \(.*publickey/i,
		`give the host the public ssh key of the user that runs the platform, or ${credential}`,
	],
	[
		/Authentication failed|could not read (Username|Password)|terminal prompts disabled|Access denied|error: 40[13]/i,
		`the repository is private, or the credential is refused: ${credential}`,
	],
	// GitHub and Gitea say it with a capital letter, GitLab in a sentence, and git of an answer 404.
	[
		/Repository '?.*'? ?not found|could not be found or you don't have permission/i,
		`check the URL; if the repository is private, ${credential}`,
	],
	[
		/dubious ownership/i,
		"the repository belongs to another user than the platform: name its URL at a git host, or run git config --global --add safe.directory with this folder as the user that runs the platform",
	],
	[
		/does not appear to be a git repository|repository '.*' does not exist/i,
		"check the path: there is no repository on the machine or in the container where the session runs, or its user may not read it",
	],
	[
		/Failed to connect|Could ?n[o']t connect|Connection (refused|timed out|reset)|No route to host|Network is unreachable/i,
		"check the host and the port of the URL, and whether this machine reaches them (a proxy: HTTPS_PROXY)",
	],
	[
		/self.signed certificate|unable to get local issuer|certificate verif/i,
		"let git trust the authority of the host: http.sslCAInfo",
	],
	[/Could not resolve host/i, "check the URL and the name server of this machine"],
];

/** Returns the remedy; undefined for words that need none or have none. */
export function gitRemedy(words: readonly string[]): string | undefined {
	return remedies.find(([said]) => words.some((line) => said.test(line)))?.[1];
}
