/** What a collection holds: declared system columns beside the text that clients see, and the indexes over them. */

/** `text` and `integer` may be guarded and indexed; `json` is any JSON value, changed whole or by push and pull. */
export type ColumnType = "text" | "integer" | "json";

export type Columns = Readonly<Record<string, ColumnType>>;

export interface IndexSpec {
	/**
	 * Equality first, then at most one column that is ranged over and sorted by; ties are ordered by id.
	 * A document that lacks one of the columns is not in the index.
	 */
	readonly columns: readonly string[];
	/** No two documents in the index have equal values in all columns. */
	readonly unique?: boolean;
}

export interface Collection<
	C extends Columns = Columns,
	I extends Readonly<Record<string, IndexSpec>> = Readonly<Record<string, IndexSpec>>,
> {
	readonly name: string;
	readonly columns: C;
	readonly indexes: I;
	/** Whether a write of its documents may have events, which the relay moves into the event log. */
	readonly hasOutbox: boolean;
}

const collectionName = /^[a-z][a-z0-9_-]*$/;
/** Engines keep their own members under names that begin with `_`. */
const memberName = /^(?!id$|wire$)[a-z][a-zA-Z0-9_]*$/;

/**
 * A collection; index columns are checked to be declared `text` or `integer`.
 * @throws {TypeError} for such a column, and for a name that an engine could take for something else.
 */
export function defineCollection<const C extends Columns, const I extends Readonly<Record<string, IndexSpec>>>(
	name: string,
	columns: C,
	indexes: I,
	{ hasOutbox = false }: { readonly hasOutbox?: boolean } = {},
): Collection<C, I> {
	const odd = [...Object.keys(columns), ...Object.keys(indexes)].find((member) => !memberName.test(member));
	if (!collectionName.test(name) || odd !== undefined)
		throw new TypeError(`Cannot define collection "${name}": "${odd ?? name}" is not a name that may be used`);
	for (const [index, spec] of Object.entries(indexes)) {
		const wrong = spec.columns.find((column) => columns[column] !== "text" && columns[column] !== "integer");
		if (wrong !== undefined)
			throw new TypeError(`Cannot index "${wrong}" in "${name}.${index}": no such text or integer column`);
	}
	return { name, columns, indexes, hasOutbox };
}

interface ColumnValues {
	text: string;
	integer: number;
	json: unknown;
}

/** The columns of a document; a column that was never set is absent. */
export type Row<C extends Columns> = { -readonly [K in keyof C]?: ColumnValues[C[K]] };

/** A document: its id, the text clients see (JSON), and its system columns. */
export type Document<C extends Columns> = { id: string; wire: string } & Row<C>;
