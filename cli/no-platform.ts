/** The sentence of every command for a platform that does not answer. Pure. */

export function noPlatform(url: string, cause: unknown): string {
	return `No platform answers at ${url} (${reasonOf(cause)}); start one with npm start, or name its address in ATELIER_URL, or its port in PORT`;
}

/** Returns the reason of a network failure, which fetch hides behind "fetch failed". */
function reasonOf(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	return error.cause === undefined ? error.message : reasonOf(error.cause);
}
