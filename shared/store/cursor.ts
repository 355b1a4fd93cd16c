/**
 * Encodes the end of a page (the value of the sorted column and the id of the last document) as a text that clients
 * send back.
 */

/** The end of a page. */
export interface CursorPosition {
	/** The value of the last index column. */
	readonly value: string | number;
	readonly id: string;
}

export function encodeCursor({ value, id }: CursorPosition): string {
	return Buffer.from(JSON.stringify([value, id])).toString("base64url");
}

/** @throws {RangeError} when the text is not a cursor. */
export function decodeCursor(text: string): CursorPosition {
	try {
		const [value, id, ...rest] = JSON.parse(Buffer.from(text, "base64url").toString("utf8")) as unknown[];
		const sortable = typeof value === "string" || typeof value === "number";
		if (sortable && typeof id === "string" && rest.length === 0) return { value, id };
	} catch {
		// All malformed texts get the same error below.
	}
	throw new RangeError("This is not a cursor");
}
