/** Describes what is wrong with the parameters of a request, as the contract's first implementation does: one item for each member. */
import { nearestName } from "#shared/base/nearest-name.ts";
import type { Rule, Schema } from "#shared/base/schema/schema.ts";
import type { Failure } from "#shared/base/schema/validator.ts";
import type { Problem } from "../http/problem-items.ts";
import type { JsonObject } from "../http/json-body.ts";
import { shownInput } from "../http/shown-input.ts";

interface Checked {
	readonly params: Schema;
	readonly placeOf: (name: string) => string;
	/** The texts of path and query as they were sent, by parameter. */
	readonly texts: ReadonlyMap<string, string>;
	readonly values: Readonly<Record<string, unknown>>;
	readonly inBody: Schema;
	/** The body as it was sent, with its unknown members. */
	readonly body: JsonObject;
}

/** The most unknown members that are compared with the name of a missing one. */
const maxCompared = 100;

/** A value of another type than one of the forms that its rule allows; it may still be of the other form, and too large. */
const otherType = new Set(["string", "array", "object", "record", "number", "boolean"]);

/** Returns the problems, one for each place. A number that is not whole is no number of a range either. */
export function problemsOf(failures: readonly Failure[], checked: Checked): Problem[] {
	const byPlace = Map.groupBy(failures, ({ path }) => JSON.stringify(path));
	return [...byPlace.values()].flatMap((own) => {
		const broken = own.find(({ type }) => type === "numberInteger");
		const failure = broken ?? own.find(({ type }) => !otherType.has(type)) ?? own[0];
		return failure ? [problemOf(failure, checked)] : [];
	});
}

function problemOf(failure: Failure, checked: Checked): Problem {
	const [first = "", ...deeper] = failure.path;
	const name = String(first);
	const place = checked.placeOf(name);
	const loc = [place, ...failure.path];
	const rule = ruleAt(checked.params[name], deeper);
	const value = deeper.reduce<unknown>(member, checked.values[name]);
	if (failure.type === "required" && value === undefined)
		return { loc, failure, input: lackingIn(checked, place, failure.path), slip: slipOf(checked, place, failure.path) };
	const input = checked.texts.get(name) ?? (rule ? shownInput(value, rule) : undefined);
	const type = failure.type === "required" ? "null" : failure.type;
	return { loc, failure: { ...failure, type }, input, ...(rule && { rule }) };
}

/** Returns the object that lacks a member; null in the place of a parameter outside of the body. */
function lackingIn({ params, values, inBody }: Checked, place: string, path: Failure["path"]): unknown {
	if (place !== "body") return null;
	const [name = "", ...deeper] = path.slice(0, -1);
	if (path.length < 2) return shownInput(values, { type: "object", props: inBody });
	const rule = ruleAt(params[String(name)], deeper);
	return rule && shownInput(deeper.reduce<unknown>(member, values[String(name)]), rule);
}

/** Returns the unknown member in the place of a missing one of the body that was probably meant to be it. */
function slipOf({ params, inBody, body }: Checked, place: string, path: Failure["path"]): string | undefined {
	const [outer, deeper, name] = [path[0], path.slice(1, -1), String(path.at(-1))];
	const rule = path.length < 2 ? undefined : ruleAt(params[String(outer)], deeper);
	const known = Object.keys((rule?.type === "object" ? rule.props : undefined) ?? inBody);
	const sent = path.slice(0, -1).reduce<unknown>(member, body);
	if (place !== "body" || typeof sent !== "object" || sent === null) return undefined;
	const unknown = Object.keys(sent).filter((key) => !known.includes(key));
	return unknown.slice(0, maxCompared).find((key) => nearestName(known, key) === name);
}

function ruleAt(rule: Rule | undefined, path: Failure["path"]): Rule | undefined {
	return path.reduce<Rule | undefined>((outer, key) => {
		if (outer?.type === "object") return outer.props[key];
		if (outer?.type === "array") return outer.items;
		return outer?.type === "record" ? outer.value : undefined;
	}, rule);
}

function member(value: unknown, key: string | number): unknown {
	return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
