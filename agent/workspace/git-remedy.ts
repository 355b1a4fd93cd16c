/** Tells what a person can do about a refusal of a git host. Pure. */

const credential =
	"store a credential of the type git_credential for this host and name it in credential_names, or connect the host (docs/credentials.md)";

/** The words of git, ssh and git hosts, and the remedy; the first that fits counts. */
const remedies: readonly (readonly [said: RegExp, remedy: string])[] = [
	[/Host key verification failed/i, "add the key of the host to ~/.ssh/known_hosts of the user that runs the platform"],
	[
		/Permission denied \(.*publickey/i,
		`give the host the public ssh key of the user that runs the platform, or ${credential}`,
	],
	[
		/Authentication failed|could not read (Username|Password)|terminal prompts disabled|Access denied|error: 40[13]/i,
		`the repository is private, or the credential is refused: ${credential}`,
	],
	[/Repository not found/i, `check the URL; if the repository is private, ${credential}`],
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
