/**
 * Translates guards, changes and ranges to MongoDB. Only features of every server with its wire protocol are used: no
 * pipelines, no arrayFilters, no partial indexes.
 */
import type { Collection, Columns, IndexSpec } from "../collection.ts";
import { isKey } from "../column-rules.ts";
import type { Change, Guard, OutboxEntry } from "../port/documents.ts";
import type { IndexQuery } from "../index-query.ts";
import { absentKey } from "./mongodb-document.ts";
import { gramField, gramFields } from "./mongodb-grams.ts";

type Members = Record<string, unknown>;

/** Returns a filter that matches the document if the guard holds. */
export function guardFilter(id: string, { equals, fits }: Guard<Columns>): Members {
	if (!fits) return { _id: id, ...equals };
	const sum = { $add: [`$${fits.column}`, fits.plus] };
	return {
		_id: id,
		...equals,
		// MongoDB would order an absent number before all others.
		$and: [{ [fits.column]: { $gte: Number.MIN_SAFE_INTEGER } }],
		$expr: { $lte: [sum, `$${fits.limit}`] },
	};
}

/** Returns the update operators; an empty object when the change is empty. */
export function updateOperators(
	collection: Collection,
	id: string,
	change: Change<Columns>,
	events: readonly OutboxEntry[],
): Members {
	const { wire, set, unset = [], inc = {}, push = {}, pull = {} } = change;
	const [first] = events;
	const keys = unset.filter((column) => isKey(collection, column));
	const others = unset.filter((column) => !isKey(collection, column));
	const appended = Object.entries(push).map(([column, value]) => [column, { $each: [value] }]);
	const operators = {
		$set: {
			...(wire !== undefined && { wire }),
			...set,
			...(set && gramFields(collection, set)),
			...Object.fromEntries(keys.map((key) => [key, absentKey(id)])),
		},
		$unset: Object.fromEntries([...others, ...unsetGrams(collection, others)].map((field) => [field, true])),
		$inc: inc,
		$push: { ...Object.fromEntries(appended), ...(first && { _outbox: { $each: events } }) },
		$pull: Object.fromEntries(Object.entries(pull).map(([column, n]) => [column, { n: { $lte: n } }])),
		// `$min` sets the time when no event waits yet, and leaves an earlier one.
		$min: first ? { _outbox_since: first.at } : {},
	};
	return Object.fromEntries(Object.entries(operators).filter(([, members]) => Object.keys(members).length > 0));
}

function unsetGrams({ searched }: Collection, unset: readonly string[]): string[] {
	return unset.filter((column) => searched?.columns.includes(column)).map(gramField);
}

/** Returns a filter that matches the document if no event behind number `n` waits in it. */
export function nothingAfter(id: string, n: number): Members {
	return { _id: id, $nor: [{ "_outbox.n": { $gt: n } }] };
}

export const outboxClearing: Members = { $unset: { _outbox: true, _outbox_since: true } };

/** Returns the update that removes the events up to number `n`; the remaining ones have waited since `since`. */
export function outboxTrimming(n: number, since: number): Members {
	return { $pull: { _outbox: { n: { $lte: n } } }, $set: { _outbox_since: since } };
}

/** Returns the filter of a range. @param after The values of the ordering columns beyond which a page begins. */
export function rangeFilter(
	{ equal, ranged, order }: IndexQuery,
	after: readonly unknown[] = [],
	descending = false,
): Members {
	const filter: Members = Object.fromEntries(equal.map(({ column, value }) => [column, value]));
	if (ranged) filter[ranged.column] = { $gte: ranged.from, ...(ranged.to !== undefined && { $lte: ranged.to }) };
	if (after.length > 0) filter["$and"] = beyond(order.map(member), after, descending ? "$lt" : "$gt");
	return filter;
}

export function sortOrder({ order }: IndexQuery, descending: boolean): Record<string, 1 | -1> {
	return Object.fromEntries(order.map((column) => [member(column), descending ? -1 : 1]));
}

/** Returns the fields of an index in order; ties are ordered by id. */
export function indexKey({ columns, unique }: IndexSpec): Record<string, 1> {
	return Object.fromEntries((unique ? columns : [...columns, "_id"]).map((column) => [column, 1]));
}

/**
 * Returns conditions for documents behind a position: one column is beyond it and those before are equal. The first
 * condition lets MongoDB enter the index at the position.
 */
function beyond(members: readonly string[], after: readonly unknown[], operator: "$gt" | "$lt"): Members[] {
	const alternatives = members.map((name, position) => ({
		...Object.fromEntries(members.slice(0, position).map((former, at) => [former, after[at]])),
		[name]: { [operator]: after[position] },
	}));
	return [{ [members[0] ?? "_id"]: { [`${operator}e`]: after[0] } }, { $or: alternatives }];
}

function member(column: string): string {
	return column === "id" ? "_id" : column;
}
