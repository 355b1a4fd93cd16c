/** Finds the members of a value that a rule does not name, at every depth. Pure. */
import type { Rule, Schema } from "#shared/bus/schema.ts";
import { nearestName } from "#shared/nearest-name.ts";

/** The members that a rule names; undefined for a value whose members are free. */
export type Known =
	| { readonly members: ReadonlyMap<string, Known> }
	| { readonly items: Known }
	/** Members are free, but those that are similar to one of these names are probably misspelt. */
	| { readonly near: readonly string[] }
	| undefined;

type Path = readonly (string | number)[];

/** Receives the path of an unknown member, and the names that the rule has at its place. */
export type OnUnknown = (path: Path, known: Iterable<string>) => void;

/** Returns the known members of an object with these fields. */
export function knownMembers(fields: Schema): Known {
	return { members: new Map(Object.entries(fields).map(([name, rule]) => [name, knownWithin(rule)])) };
}

function knownWithin(rule: Rule): Known {
	if (rule.type === "object") return knownMembers(rule.props);
	if (rule.type === "multi") return rule.rules.map(knownWithin).reduce(either, undefined);
	if (rule.type === "record") return rule.names && { near: rule.names };
	const items = rule.type === "array" ? knownWithin(rule.items) : undefined;
	return items && { items };
}

/** Returns what one of two rules names; a rule that names no members leaves those of the other. */
function either(one: Known, other: Known): Known {
	if (!one || !other) return one ?? other;
	if (!("members" in one && "members" in other)) return one;
	const members = new Map(one.members);
	for (const [name, known] of other.members) members.set(name, either(members.get(name), known));
	return { members };
}

/** Calls back for each unknown member of a value that came as JSON. */
export function eachUnknown(value: unknown, known: Known, found: OnUnknown, above: Path = []): void {
	if (!known || typeof value !== "object" || value === null) return;
	if (!Array.isArray(value)) eachOfObject(value, known, found, above);
	else if ("items" in known)
		for (const [index, item] of value.entries()) eachUnknown(item, known.items, found, [...above, index]);
}

function eachOfObject(value: object, known: NonNullable<Known>, found: OnUnknown, above: Path): void {
	if ("near" in known) eachSimilar(value, known.near, found, above);
	if ("members" in known) eachUnknownMember(value, known.members, found, above);
}

function eachUnknownMember(value: object, members: ReadonlyMap<string, Known>, found: OnUnknown, above: Path): void {
	for (const [name, member] of Object.entries(value)) {
		if (!members.has(name)) found([...above, name], members.keys());
		else if (typeof member === "object") eachUnknown(member, members.get(name), found, [...above, name]);
	}
}

function eachSimilar(value: object, names: readonly string[], found: OnUnknown, above: Path): void {
	for (const name of Object.keys(value))
		if (!names.includes(name) && nearestName(names, name) !== undefined) found([...above, name], names);
}
