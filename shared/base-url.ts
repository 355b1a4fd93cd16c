/** A URL that paths are put behind. */

const slash = "/".charCodeAt(0);

/** Without slashes at its end. */
export function baseUrl(url: string): string {
	let end = url.length;
	while (url.charCodeAt(end - 1) === slash) end--;
	return url.slice(0, end);
}
