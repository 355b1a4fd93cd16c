/** Values as MongoDB compares them; only the kinds the store keeps in columns. */

export type Members = Record<string, unknown>;

/** The refusal of a command; the number and name are MongoDB's. */
export class CommandError extends Error {
	readonly code: number;
	readonly codeName: string;

	constructor(code: number, codeName: string, message: string) {
		super(message);
		this.code = code;
		this.codeName = codeName;
	}
}

/**
 * Makes the error for an unsupported feature, so that no test passes with something that real servers may do in another
 * way.
 */
export function unknownHere(what: string): CommandError {
	return new CommandError(238, "NotImplemented", `this endpoint does not know ${what}`);
}

export function isMembers(value: unknown): value is Members {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function membersOf(value: unknown, what: string): Members {
	if (!isMembers(value)) throw unknownHere(`${what} that is no document`);
	return value;
}

export function listOf(value: unknown, what: string): unknown[] {
	if (!Array.isArray(value)) throw unknownHere(`${what} that is no list`);
	return value;
}

/** Compares values across kinds: missing, null, numbers, strings by their bytes. */
export function compare(a: unknown, b: unknown): number {
	const kinds = rank(a) - rank(b);
	if (kinds !== 0) return kinds;
	if (typeof a === "number" && typeof b === "number") return a - b;
	if (typeof a === "string" && typeof b === "string") return Buffer.compare(Buffer.from(a), Buffer.from(b));
	return 0;
}

export function sameKind(a: unknown, b: unknown): boolean {
	return rank(a) === rank(b);
}

function rank(value: unknown): number {
	if (value === undefined) return 0;
	if (value === null) return 1;
	if (typeof value === "number") return 2;
	if (typeof value === "string") return 3;
	if (isMembers(value)) return 4;
	throw unknownHere(`an order of ${typeof value} values`);
}
