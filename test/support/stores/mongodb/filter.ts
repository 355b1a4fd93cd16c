/** Tests documents against filters with the operators that the MongoDB adapter uses; any other operator is an error. */
import { compare, isMembers, listOf, type Members, membersOf, sameKind, unknownHere } from "./values.ts";

type Test = (values: readonly unknown[], operand: unknown) => boolean;

export function matches(document: Members, filter: Members): boolean {
	return Object.entries(filter).every(([key, condition]) => {
		if (key === "$and") return filtersOf(condition).every((part) => matches(document, part));
		if (key === "$or") return filtersOf(condition).some((part) => matches(document, part));
		if (key === "$nor") return !filtersOf(condition).some((part) => matches(document, part));
		if (key === "$expr") return holds(document, membersOf(condition, "$expr"));
		if (key.startsWith("$")) throw unknownHere(`the filter "${key}"`);
		return fits(valuesAt(document, key.split(".")), condition);
	});
}

function filtersOf(condition: unknown): Members[] {
	return listOf(condition, "$and, $or, $nor").map((part) => membersOf(part, "a filter"));
}

/** Returns the values at a path: none when it is missing, several when it leads through a list. */
function valuesAt(value: unknown, [name, ...rest]: readonly string[]): unknown[] {
	if (name === undefined) return value === undefined ? [] : [value];
	if (Array.isArray(value)) return value.flatMap((element) => valuesAt(element, [name, ...rest]));
	return isMembers(value) ? valuesAt(value[name], rest) : [];
}

const tests: Readonly<Record<string, Test>> = {
	$gt: ranged((order) => order > 0),
	$gte: ranged((order) => order >= 0),
	$lt: ranged((order) => order < 0),
	$lte: ranged((order) => order <= 0),
	$in: (values, operand) => idsOf(operand).some((wanted) => values.includes(wanted)),
	// Each value of a path that leads to a list is the list, as no filter of the adapter compares whole lists.
	$all: (values, operand) => listOf(operand, "$all").every((wanted) => values.flat().includes(wanted)),
	$regex: (values, operand) => values.some((value) => typeof value === "string" && literalIn(operand, value)),
	$exists: (values, operand) => values.length > 0 === operand,
};

export function idsOf(list: unknown): string[] {
	return listOf(list, "$in").map((id) => {
		if (typeof id !== "string") throw unknownHere("$in of what is no id");
		return id;
	});
}

/** Only patterns in which every mark is escaped, so that they mean the same to a server. */
function literalIn(pattern: unknown, text: string): boolean {
	if (typeof pattern !== "string" || /(?<!\\)(\\\\)*[.*+?^$()[\]{}|]/.test(pattern)) throw unknownHere("this pattern");
	return text.includes(pattern.replaceAll(/\\([!-/:-@[-`{-~])/g, "$1"));
}

function ranged(holdsFor: (order: number) => boolean): Test {
	return (values, operand) => values.some((value) => sameKind(value, operand) && holdsFor(compare(value, operand)));
}

function fits(values: readonly unknown[], condition: unknown): boolean {
	if (typeof condition === "string" || typeof condition === "number") return values.includes(condition);
	return Object.entries(membersOf(condition, "a condition")).every(([operator, operand]) => {
		const test = tests[operator];
		if (!test) throw unknownHere(`the operator "${operator}"`);
		return test(values, operand);
	});
}

/** Evaluates `{ $lte: [a, b] }` across kinds of values: a missing number is the least of all, as on a real server. */
function holds(document: Members, { $lte, ...others }: Members): boolean {
	const [left, right, ...more] = listOf($lte, "$lte");
	if (Object.keys(others).length > 0 || more.length > 0) throw unknownHere("this expression");
	return compare(evaluated(document, left), evaluated(document, right)) <= 0;
}

function evaluated(document: Members, expression: unknown): unknown {
	if (typeof expression === "number") return expression;
	if (typeof expression === "string" && /^\$\w+$/.test(expression)) return document[expression.slice(1)];
	const { $add, ...others } = membersOf(expression, "an expression");
	if (Object.keys(others).length > 0) throw unknownHere("this expression");
	const summands = listOf($add, "$add").map((part) => evaluated(document, part));
	return summands.reduce<number | null>(
		(sum, part) => (sum === null || typeof part !== "number" ? null : sum + part),
		0,
	);
}
