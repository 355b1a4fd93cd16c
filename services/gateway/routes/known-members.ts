/** Finds the members of a value that a rule does not name, at every depth. Pure. */
import type { Rule, Schema } from "#shared/base/schema/schema.ts";
import { nearestName } from "#shared/base/nearest-name.ts";

/** The members that a rule names; undefined for a value whose members are free. */
type Known =
	| { readonly members: ReadonlyMap<string, Known> }
	| { readonly items: Known }
	/** Members are free, but those that are similar to one of these names are probably misspelt. */
	| { readonly near: readonly string[] }
	| undefined;

/** The most free names of an object that are compared with similar ones. */
const maxCompared = 1_000;

type Path = readonly (string | number)[];

interface Unknown {
	readonly path: Path;
	/** The names that the rule has at its place. */
	readonly known: Iterable<string>;
}

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

export function* unknownMembers(value: unknown, known: Known, above: Path = []): Generator<Unknown> {
	if (!known || typeof value !== "object" || value === null) return;
	if (!Array.isArray(value)) yield* unknownIn(value, known, above);
	else if ("items" in known)
		for (const [index, item] of value.entries()) yield* unknownMembers(item, known.items, [...above, index]);
}

function* unknownIn(value: object, known: NonNullable<Known>, above: Path): Generator<Unknown> {
	if ("near" in known) yield* similarIn(value, known.near, above);
	if ("members" in known) yield* unnamedIn(value, known.members, above);
}

function* unnamedIn(value: object, members: ReadonlyMap<string, Known>, above: Path): Generator<Unknown> {
	for (const name of Object.keys(value)) {
		if (!members.has(name)) yield { path: [...above, name], known: members.keys() };
		else {
			const member: unknown = Reflect.get(value, name);
			if (typeof member === "object") yield* unknownMembers(member, members.get(name), [...above, name]);
		}
	}
}

function* similarIn(value: object, names: readonly string[], above: Path): Generator<Unknown> {
	for (const name of Object.keys(value).slice(0, maxCompared))
		if (!names.includes(name) && nearestName(names, name) !== undefined) yield { path: [...above, name], known: names };
}
