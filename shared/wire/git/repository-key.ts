/**
 * Compares repositories by name: `https://github.com/org/repo.git`, `git@github.com:org/repo` and `github.com/org/repo`
 * are the same repository for lists, although git reaches them in different ways. Pure.
 */

/** Returns a text that is equal for all names of one repository. It may be shown and stored, and is no URL. */
export function repositoryKey(name: string): string {
	const address = name.trim().replace(/^[a-z][a-z\d+.-]*:\/\//i, "");
	const withoutUser = address.replace(/^[^/@]*@/, "");
	// The short form of ssh separates host and path by a colon; a port is a number.
	const path = withoutUser.replace(/^([^/:]+):(?!\d+(\/|$))\/?/, "$1/");
	const [host = "", ...rest] = withoutSuffix(path).split("/");
	return [host.toLowerCase(), ...rest].join("/");
}

function withoutSuffix(path: string): string {
	let end = path.length;
	while (path[end - 1] === "/") end--;
	const text = path.slice(0, end);
	return text.endsWith(".git") ? text.slice(0, -".git".length) : text;
}
