/**
 * Checks repository URLs before git gets them. The same check runs before a session is stored and again before the
 * clone.
 */
import { isLoopback } from "#shared/base/hosts/loopback.ts";

const protocols = ["https", "ssh", "http", "file"] as const;
export type GitProtocol = (typeof protocols)[number];

/** The URL for git, or a sentence for the person who wrote it; the sentence never repeats credentials. */
export type RepositoryUrl = { url: string; protocol: GitProtocol } | { refused: string };

const maxLength = 2_048;
/**
 * Blanks and control characters, also percent-encoded ones: git decodes the URL before it sends it to a credential
 * helper, which reads it line by line.
 */
const blankOrControl = /[\s\p{Cc}]|%[01][\da-f]|%7f/iu;
/** `git@github.com:org/repo.git`, git's short form of an ssh URL. */
const scpForm = /^[\w.-]+@[\w.-]+:(?!\/\/).+$/;
/** `github.com/org/repo`, a person's short form of an https URL. */
const shorthand = /^[a-z0-9-]+(\.[a-z0-9-]+)+(:\d+)?\/./i;

/**
 * Returns the URL as git may use it, or why it is refused. @param allowed Protocols of this installation; `http` is
 * limited to loopback in any case.
 */
export function readRepositoryUrl(text: string, allowed: readonly string[]): RepositoryUrl {
	const shown = text.replace(/^(\w+:\/\/)?.*@/s, "$1").slice(0, 200);
	if (text.length > maxLength) return { refused: `The repository URL is longer than ${maxLength} characters` };
	if (blankOrControl.test(text)) return { refused: "The repository URL holds a blank or a control character" };
	if (text.startsWith("-")) return { refused: `The repository URL "${shown}" begins with a dash` };
	if (/^[\w+.-]*::/.test(text)) return { refused: `The repository URL "${shown}" names a transport of its own` };
	const read = scpForm.test(text) ? readScpForm(text) : readUrl(shorthand.test(text) ? `https://${text}` : text);
	if (typeof read === "string") return { refused: `The repository URL "${shown}" ${read}` };
	if (allowed.includes(read.protocol)) return read;
	return { refused: `The repository URL "${shown}" uses ${read.protocol}; allowed here: ${allowed.join(", ")}` };
}

/** Returns a message of git without `user:password@` in the URLs it repeats. */
export function withoutUserinfo(text: string): string {
	return text.replaceAll(/(\w:\/\/)[^/\s"']*@/g, "$1");
}

interface Read {
	url: string;
	protocol: GitProtocol;
}

function readScpForm(text: string): Read | string {
	const path = text.slice(text.indexOf(":") + 1);
	if (text.includes("@-") || path.startsWith("-")) return "holds a part that begins with a dash";
	return { url: text, protocol: "ssh" };
}

/**
 * Returns the violation as the end of a sentence, or the URL in the normalised form that was checked, so that git reads
 * the same host.
 */
function readUrl(text: string): Read | string {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	const protocol = protocols.find((name) => url?.protocol === `${name}:`);
	if (!url || !protocol) {
		const folder = /^[/~.]/.test(text) ? "; a folder of this machine is named file:///path" : "";
		return `must begin with ${protocols.map((name) => `${name}://`).join(", ")}${folder}`;
	}
	const wrong = wrongIn(url, protocol);
	return wrong ?? { url: url.href, protocol };
}

function wrongIn(url: URL, protocol: GitProtocol): string | undefined {
	return wrongAnywhere(url, protocol) ?? (protocol === "file" ? wrongInFile(url) : wrongOnHost(url, protocol));
}

function wrongAnywhere({ username, password, search, hash, pathname }: URL, protocol: GitProtocol): string | undefined {
	if (password !== "" || (username !== "" && protocol !== "ssh")) return "must not hold credentials";
	if (search !== "" || hash !== "") return "must not hold a query or fragment";
	return pathname.length < 2 ? "names no repository" : undefined;
}

function wrongInFile({ hostname }: URL): string | undefined {
	return hostname === "" ? undefined : "must name a folder of this machine: file:///path";
}

function wrongOnHost(url: URL, protocol: GitProtocol): string | undefined {
	if (!/^[\w.-]+$|^\[[\da-f:.]+\]$/i.test(url.hostname) || hasDashAhead(url)) return "has no usable host";
	if (protocol === "http" && !isLoopback(url.hostname)) return "uses http to another machine; use https";
	return undefined;
}

function hasDashAhead({ hostname, username, pathname }: URL): boolean {
	return [hostname, username, pathname.slice(1)].some((part) => part.startsWith("-"));
}
