/** The result codes of SQLite. */

/** Primary codes; `corrupt`: the file contradicts itself. */
export const codes = { error: 1, busy: 5, locked: 6, corrupt: 11, full: 13, constraint: 19, notADatabase: 26 } as const;

/** Returns SQLite's primary result code. */
export function resultCode(error: unknown): number | undefined {
	const code = error instanceof Error && "errcode" in error ? error.errcode : undefined;
	return typeof code === "number" ? code & 0xff : undefined;
}
