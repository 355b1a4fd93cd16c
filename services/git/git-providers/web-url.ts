/** Keeps addresses of web pages only: whoever sets a status chooses its address, and people click it. Pure. */

/** Returns the address of a page, or null for every other text. */
export function webUrl(text: string | null | undefined): string | null {
	return typeof text === "string" && text.length <= 4_000 && /^https?:\/\//i.test(text) ? text : null;
}
