/** Where a page ended: the value of the sorted column and the id of its last document, as text that clients hand back. */

export interface CursorPosition {
	/** Of the last index column. */
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
		// Falls through to the one sentence for everything that is no cursor.
	}
	throw new RangeError("This is not a cursor");
}
