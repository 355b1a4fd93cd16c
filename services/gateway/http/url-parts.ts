/** Takes the URL of a request apart as it was sent, without decoding anything. Pure. */

/** Returns the path, and the query without the question mark. */
export function urlParts(url: string): { readonly path: string; readonly query: string } {
	const mark = url.indexOf("?");
	return mark === -1 ? { path: url, query: "" } : { path: url.slice(0, mark), query: url.slice(mark + 1) };
}
