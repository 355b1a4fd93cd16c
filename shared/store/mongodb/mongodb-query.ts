/**
 * Guards, changes and ranges in MongoDB's language. Only what every server with its wire protocol has: no pipelines, no
 * arrayFilters, no partial indexes.
 */
import type { Collection, Columns, IndexSpec } from "../collection.ts";
import { isKey } from "../column-rules.ts";
import type { Change, Guard, OutboxEntry } from "../document-store.ts";
import type { IndexQuery } from "../index-query.ts";
import { absentKey } from "./mongodb-document.ts";

type Members = Record<string, unknown>;

/** The document, if the guard holds. */
export function guardFilter(id: string, { equals, fits }: Guard<Columns>): Members {
	if (!fits) return { _id: id, ...equals };
	const sum = { $add: [`$${fits.column}`, fits.plus] };
	return {
		_id: id,
		...equals,
		// An absent number would be taken for one that is smaller than all.
		$and: [{ [fits.column]: { $gte: Number.MIN_SAFE_INTEGER } }],
		$expr: { $lte: [sum, `$${fits.limit}`] },
	};
}

/** Update operators; without any when the change is empty. */
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
			...Object.fromEntries(keys.map((key) => [key, absentKey(id)])),
		},
		$unset: Object.fromEntries(others.map((column) => [column, true])),
		$inc: inc,
		$push: { ...Object.fromEntries(appended), ...(first && { _outbox: { $each: events } }) },
		$pull: Object.fromEntries(Object.entries(pull).map(([column, n]) => [column, { n: { $lte: n } }])),
		// Sets it when nothing waits yet, and leaves it when something has waited longer.
		$min: first ? { _outbox_since: first.at } : {},
	};
	return Object.fromEntries(Object.entries(operators).filter(([, members]) => Object.keys(members).length > 0));
}

/** The document, if no event behind number `n` waits in it. */
export function nothingAfter(id: string, n: number): Members {
	return { _id: id, $nor: [{ "_outbox.n": { $gt: n } }] };
}

export const outboxClearing: Members = { $unset: { _outbox: true, _outbox_since: true } };

/** Takes away the events up to number `n`; what is left has waited since `since`. */
export function outboxTrimming(n: number, since: number): Members {
	return { $pull: { _outbox: { n: { $lte: n } } }, $set: { _outbox_since: since } };
}

/** @param after Values of the ordering columns beyond which a page begins. */
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

/** The fields of an index, in order; ties by id. */
export function indexKey({ columns, unique }: IndexSpec): Record<string, 1> {
	return Object.fromEntries((unique ? columns : [...columns, "_id"]).map((column) => [column, 1]));
}

/** Beyond means: beyond in one column and equal in those before it. The first condition is where the index is entered. */
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
