/** Reads the URL of a git credential, `https://<user>:<token>@<host>`, and writes it as git's credential store does. */

interface GitCredentialUrl {
	/** The URL in the one form that git reads: user and token percent-encoded, on one line. */
	readonly line: string;
}

/** Any control character, also one that percent-encoding hides: git's protocol has one value on each line. */
// oxlint-disable-next-line no-control-regex  -- these characters are what is looked for
const control = /[\u0000-\u001f\u007f]|%(0[0-9a-f]|1[0-9a-f]|7f)/i;

/**
 * Returns the URL, or the sentence that refuses it, which does not repeat it.
 * @param protocols The protocols of repositories that this installation allows.
 */
export function gitCredentialUrl(
	text: string,
	protocols: readonly string[],
): GitCredentialUrl | { readonly refused: string } {
	const refused = { refused: 'Field "url" should have the form https://<user>:<token>@<host>' };
	const url = readUrl(text);
	if (!url || !isAllowed(url, protocols)) return refused;
	const { protocol, username, password, host, pathname } = url;
	const path = pathname === "/" ? "" : pathname;
	return { line: `${protocol}//${reencoded(username)}:${reencoded(password)}@${host}${path}` };
}

function readUrl(text: string): URL | undefined {
	if (control.test(text) || /\s/.test(text) || !URL.canParse(text)) return undefined;
	const url = new URL(text);
	return url.search === "" && url.hash === "" ? url : undefined;
}

function isAllowed({ protocol, username, password, host }: URL, protocols: readonly string[]): boolean {
	const isWeb = protocol === "https:" || (protocol === "http:" && protocols.includes("http"));
	return isWeb && username !== "" && password !== "" && host !== "";
}

/** Returns the text with everything percent-encoded that may be. */
function reencoded(text: string): string {
	try {
		return encodeURIComponent(decodeURIComponent(text));
	} catch {
		// `decodeURIComponent` throws for a lone percent sign, which the URL parser keeps.
		return encodeURIComponent(text);
	}
}
