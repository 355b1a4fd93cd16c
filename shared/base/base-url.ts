/** Normalises a URL to which paths are appended. */

const slash = "/".charCodeAt(0);

/** Removes all slashes at the end of a URL. */
export function baseUrl(url: string): string {
	let end = url.length;
	while (url.charCodeAt(end - 1) === slash) end--;
	return url.slice(0, end);
}
