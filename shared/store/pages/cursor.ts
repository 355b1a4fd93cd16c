/**
 * Encodes the end of a page (the value of the sorted column and the id of the last document) as a text that clients
 * send back.
 */
import { BadRequestError } from "#shared/base/errors.ts";

export interface CursorPosition {
	/** The value of the last index column. */
	readonly value: string | number;
	readonly id: string;
}

/** Compares positions of one list: by the value, and ties by the id. */
export function comparePositions(a: CursorPosition, b: CursorPosition): number {
	return compare(a.value, b.value) || compare(a.id, b.id);
}

function compare(a: string | number, b: string | number): number {
	return a < b ? -1 : Number(a > b);
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

/**
 * Translates the RangeError of an invalid cursor, which stores and `decodeCursor` throw, into an error for clients. Every
 * other error is thrown unchanged.
 * @throws {BadRequestError} for a RangeError; the error itself otherwise.
 */
export function refuseCursor(error: unknown): never {
	if (error instanceof RangeError) throw new BadRequestError("This cursor is not one of ours", "CURSOR_REFUSED");
	throw error;
}
