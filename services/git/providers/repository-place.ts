/**
 * Reads the host and the path of a repository from the forms in which people and git write them: https, ssh, git's short
 * form of ssh, with and without `.git`, slash and scheme. Pure.
 * @example
 * ```ts
 * repositoryAddress("git@GitHub.com:org/repo.git"); // { host: "github.com", path: ["org", "repo"], isWeb: false }
 * ```
 */

interface RepositoryAddress {
	/** The host in lower case; with the port when it is a web address and the port is not the usual one. */
	readonly host: string;
	readonly path: readonly string[];
	/** Whether the port of the address is one of web pages; that of ssh says nothing about them. */
	readonly isWeb: boolean;
}

const maxLength = 2_048;
const scpForm = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)(.+)$/;
/** `github.com/org/repo`, or with a port. */
const shorthand = /^[a-z\d-]+(\.[a-z\d-]+)+(:\d+)?\/./i;
const namePart = /^[\w.-]+$/;

/** Returns the address; undefined when the text is none, or holds a credential. */
export function repositoryAddress(text: string): RepositoryAddress | undefined {
	const trimmed = text.trim();
	if (trimmed.length > maxLength || /[\s\p{Cc}]/u.test(trimmed)) return undefined;
	if (shorthand.test(trimmed)) return fromUrl(`https://${trimmed}`);
	if (/^[a-z][a-z\d+.-]*:\/\//i.test(trimmed)) return fromUrl(trimmed);
	const [, host, path] = scpForm.exec(trimmed) ?? [];
	return host === undefined || path === undefined ? undefined : addressOf(host.toLowerCase(), path, false);
}

/** Returns the parts of `org/repo`, GitHub's short form; undefined for every other text. */
export function barePlace(text: string): { owner: string; name: string } | undefined {
	const [owner, name, ...more] = text.trim().split("/");
	if (owner === undefined || name === undefined || more.length > 0) return undefined;
	return /^[\w-]+$/.test(owner) && isName(name) ? { owner, name: withoutGit(name) } : undefined;
}

/** Returns the host of web pages of a URL, as `repositoryAddress` writes it. */
export function webHost(url: string): string {
	const { host } = new URL(url);
	return host.toLowerCase();
}

function fromUrl(text: string): RepositoryAddress | undefined {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
	if (!url || !(isWeb || url.protocol === "ssh:") || hasMore(url, isWeb)) return undefined;
	return addressOf((isWeb ? url.host : url.hostname).toLowerCase(), url.pathname, isWeb);
}

/** Whether the URL has parts that no name of a repository has; ssh has a user. */
function hasMore({ username, password, search, hash }: URL, isWeb: boolean): boolean {
	return password !== "" || (isWeb && username !== "") || search !== "" || hash !== "";
}

function addressOf(host: string, pathname: string, isWeb: boolean): RepositoryAddress | undefined {
	const parts = pathname.split("/").filter((part) => part !== "");
	const path = parts.map((part, index) => (index === parts.length - 1 ? withoutGit(part) : part));
	return path.length >= 2 && path.every(isName) ? { host, path, isWeb } : undefined;
}

function isName(part: string): boolean {
	return namePart.test(part) && part !== "." && part !== "..";
}

function withoutGit(name: string): string {
	return name.length > 4 && name.endsWith(".git") ? name.slice(0, -".git".length) : name;
}

/** Returns the place as sentences show it, at most 200 characters. */
export function shownPlace({ owner, name }: { readonly owner: string; readonly name: string }): string {
	return `${owner}/${name}`.slice(0, 200);
}

/**
 * Returns the path of an address below the web pages at `web`; undefined when it is not below them. A server below a path
 * of its host has that path in its web addresses only.
 */
export function pathBelow({ path, isWeb }: RepositoryAddress, web: string): readonly string[] | undefined {
	if (!isWeb) return path;
	const below = new URL(web).pathname.split("/").filter((part) => part !== "");
	return below.some((part, index) => path[index] !== part) ? undefined : path.slice(below.length);
}

/** Whether the address is at this host. The port of ssh is not compared with that of the web pages. */
export function isAt({ host, isWeb }: RepositoryAddress, webHostOfProvider: string): boolean {
	return isWeb ? host === webHostOfProvider : host === webHostOfProvider.replace(/:\d+$/, "");
}
