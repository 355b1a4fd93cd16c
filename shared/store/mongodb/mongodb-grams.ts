/** The trigrams of searched columns, as the fields of a document in MongoDB. */
import type { Collection, Columns, Row } from "../collection.ts";

/** Trigrams are stored as numbers of so many bits, so a document of any size has at most 16,384 of them. */
const gramBits = 14;

/** Returns the name of the field with the trigrams of a column. */
export function gramField(column: string): string {
	return `_search_${column}`;
}

/** Returns the fields with trigrams that belong to these columns of a document or of a change. */
export function gramFields({ searched }: Collection, columns: Row<Columns>): Record<string, number[]> {
	const fields: Record<string, number[]> = {};
	for (const column of searched?.columns ?? []) {
		const text = columns[column];
		if (typeof text === "string") fields[gramField(column)] = gramsOf(text);
	}
	return fields;
}

/** Returns the distinct trigrams in ascending order. The numbers are stored, so this function must never change. */
export function gramsOf(text: string): number[] {
	const points = Array.from(text, (character) => character.codePointAt(0) ?? 0);
	const grams = new Set<number>();
	for (let index = 0; index + 2 < points.length; index++) {
		grams.add(hashed(points[index] ?? 0, points[index + 1] ?? 0, points[index + 2] ?? 0));
	}
	return [...grams].sort((a, b) => a - b);
}

function hashed(first: number, second: number, third: number): number {
	const mixed = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b) ^ Math.imul(third, 0xc2b2ae35);
	return Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> (32 - gramBits);
}
