/**
 * Declares collections: system columns beside the text that clients see, and the indexes over the columns.
 * @example
 * ```ts
 * export const noteCollection = defineCollection(
 * 	"notes",
 * 	{ tenant: "text", owner: "text", rev: "integer" },
 * 	{ by_owner: { columns: ["tenant", "owner"] } },
 * );
 * ```
 */

/**
 * The type of a column. `text` and `integer` may be guarded and indexed; `json` is any JSON value, which is replaced as
 * a whole or changed by push and pull.
 */
export type ColumnType = "text" | "integer" | "json";

export type Columns = Readonly<Record<string, ColumnType>>;

export interface IndexSpec {
	/**
	 * The columns that a query compares, followed by at most one column that it ranges over and sorts by; ties are
	 * ordered by id. A document that lacks one of the columns is not in the index.
	 */
	readonly columns: readonly string[];
	/** Whether the store refuses two documents with equal values in all columns. */
	readonly unique?: boolean;
}

/**
 * The texts that a search covers. A collection declares them before its first document, because stores index a text when it
 * is written.
 */
export interface SearchSpec {
	/** The index whose order the hits have, the largest value first. */
	readonly index: string;
	/** The `text` columns. Hits in an earlier one come before hits in a later one. They never contain U+0000. */
	readonly columns: readonly string[];
}

/** The declaration of one collection. The process that opens the store passes all of them. */
export interface Collection<
	C extends Columns = Columns,
	I extends Readonly<Record<string, IndexSpec>> = Readonly<Record<string, IndexSpec>>,
> {
	readonly name: string;
	readonly columns: C;
	readonly indexes: I;
	/** Whether a write of its documents may have events, which get into the event log with it or are moved there at once. */
	readonly hasOutbox: boolean;
	/** Absent: the collection cannot be searched. */
	readonly searched?: SearchSpec;
	/** Whether its documents are about running processes, e.g. leases, so that a backup has none of them. */
	readonly isTransient: boolean;
	/** Whether `find` returns only what no failure of power takes back: clients keep what they have read of it. */
	readonly isReadDurably: boolean;
	/**
	 * The members of the text that the audit log shows after a change by a person, never secrets; absent: changes are
	 * not audited. Such a collection has an integer column `rev` that every write sets to a larger number. In a
	 * store with a relay, its entries wait in its outbox for at most a second.
	 */
	readonly audited?: Audited;
	/**
	 * Returns the tenant whose administrators a document with this id concerns, where people of other tenants change such
	 * documents; absent: nobody else does. A change is entered in the log of that tenant too.
	 */
	readonly tenantOf?: (id: string) => string | undefined;
}

/** The members that the audit log shows, or all of them. */
export type Audited = readonly string[] | "all";

const collectionName = /^[a-z][a-z0-9_-]*$/;
/** The pattern for columns and indexes. Stores reserve names that begin with `_`. */
const memberName = /^(?!id$|wire$)[a-z][a-zA-Z0-9_]*$/;

/**
 * Returns a collection. Index columns must be declared as `text` or `integer`.
 * @throws {TypeError} for another index column, and for a name that a store could take for something else.
 */
export function defineCollection<const C extends Columns, const I extends Readonly<Record<string, IndexSpec>>>(
	name: string,
	columns: C,
	indexes: I,
	{
		hasOutbox = false,
		isTransient = false,
		isReadDurably = false,
		searched,
		audited,
		tenantOf,
	}: CollectionOptions<C, I> = {},
): Collection<C, I> {
	refuseNames(name, [...Object.keys(columns), ...Object.keys(indexes)]);
	refuseIndexes(name, columns, indexes);
	if (audited && columns["rev"] !== "integer")
		throw new TypeError(`Cannot audit "${name}": it has no integer column "rev"`);
	return {
		name,
		columns,
		indexes,
		hasOutbox,
		isTransient,
		isReadDurably,
		...(searched && { searched }),
		...(audited && { audited }),
		...(tenantOf && { tenantOf }),
	};
}

function refuseNames(name: string, members: readonly string[]): void {
	const odd = members.find((member) => !memberName.test(member));
	if (!collectionName.test(name) || odd !== undefined)
		throw new TypeError(`Cannot define collection "${name}": "${odd ?? name}" is not a name that may be used`);
}

function refuseIndexes(name: string, columns: Columns, indexes: Readonly<Record<string, IndexSpec>>): void {
	for (const [index, spec] of Object.entries(indexes)) {
		const wrong = spec.columns.find((column) => columns[column] !== "text" && columns[column] !== "integer");
		if (wrong !== undefined)
			throw new TypeError(`Cannot index "${wrong}" in "${name}.${index}": no such text or integer column`);
	}
}

/** The optional properties of a collection; default: no events, in backups, no search, no audit. */
interface CollectionOptions<C, I> extends Partial<Omit<Collection, "name" | "columns" | "indexes">> {
	readonly searched?: NoInfer<SearchIn<C, I>>;
}

/** A {@link SearchSpec} that can only name indexes and text columns of the collection. */
interface SearchIn<C, I> extends SearchSpec {
	readonly index: keyof I & string;
	readonly columns: readonly { [K in keyof C & string]: C[K] extends "text" ? K : never }[keyof C & string][];
}

interface ColumnValues {
	text: string;
	integer: number;
	json: unknown;
}

/** The columns of a document. A column that was never set is absent. */
export type Row<C extends Columns> = { -readonly [K in keyof C]?: ColumnValues[C[K]] };

/** A document: its id, the JSON text that clients see, and its system columns. */
export type Document<C extends Columns> = { id: string; wire: string } & Row<C>;
