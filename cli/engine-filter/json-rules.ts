/**
 * Rules for JSON of somebody who is not trusted. Whatever a rule does not name is refused and not dropped, because the reader
 * behind the filter may understand more than the filter does.
 */

export type Json = null | boolean | number | string | Json[] | { [member: string]: Json };

/** Returns the value as it may be passed on. @throws {ForbiddenValue} */
export type Rule = (value: Json, path: string) => Json;
export type Rules = Readonly<Record<string, Rule>>;

/** A value may not be passed on. */
export class ForbiddenValue extends Error {
	override readonly name = "ForbiddenValue";

	/** @param path The members that lead to the value, such as `HostConfig.Mounts[0].Source`; empty: all of it. */
	constructor(path: string) {
		super(`The filter does not let this value of ${path || "the request"} through`);
	}
}

const maxText = 32_768;

export const text: Rule = textThat(() => true);
export const boolean: Rule = (value, path) => (typeof value === "boolean" ? value : refuse(path));

export function integer(min: number, max: number): Rule {
	return (value, path) =>
		Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max ? value : refuse(path);
}

/** A text of which this is true. */
export function textThat(fits: (text: string) => boolean): Rule {
	return (value, path) => (typeof value === "string" && value.length <= maxText && fits(value) ? value : refuse(path));
}

/** One of these values, compared as JSON. */
export function oneOf(values: readonly Json[]): Rule {
	return (value, path) => {
		const sent = JSON.stringify(value);
		return values.find((one) => JSON.stringify(one) === sent) ?? refuse(path);
	};
}

export function only(value: Json): Rule {
	return oneOf([value]);
}

export function listOf(rule: Rule, most: number): Rule {
	return (value, path) => {
		if (!Array.isArray(value) || value.length > most) return refuse(path);
		return value.map((one, index) => rule(one, `${path}[${index}]`));
	};
}

/** A list of as many values as there are rules, each after its own. */
export function tupleOf(rules: readonly Rule[]): Rule {
	return (value, path) => {
		if (!Array.isArray(value) || value.length !== rules.length) return refuse(path);
		return rules.map((rule, index) => rule(value[index] ?? null, `${path}[${index}]`));
	};
}

/** An object with these members and no others. */
export function objectOf(required: Rules, optional: Rules = {}): Rule {
	const rules = new Map(Object.entries({ ...required, ...optional }));
	return (value, path) => {
		const members = membersOf(value, path);
		for (const name of Object.keys(required)) if (!Object.hasOwn(members, name)) refuse(within(path, name));
		const passed = Object.entries(members).map(([name, one]) => {
			const rule = rules.get(name) ?? refuse(within(path, name));
			return [name, rule(one, within(path, name))] as const;
		});
		return Object.fromEntries(passed);
	};
}

/** A value that fits a rule, and of which this is true; the path of a refusal is that of a member. */
export function both(rule: Rule, fits: (value: Json) => boolean, member: string): Rule {
	return (value, path) => {
		const passed = rule(value, path);
		return fits(passed) ? passed : refuse(within(path, member));
	};
}

/** An object whose members all have names of a form and values of a kind. */
export function recordOf(names: RegExp, rule: Rule): Rule {
	return (value, path) => {
		const members = membersOf(value, path);
		const passed = Object.entries(members).map(([name, one]) => [
			names.test(name) ? name : refuse(within(path, name)),
			rule(one, within(path, name)),
		]);
		return Object.fromEntries(passed) as Json;
	};
}

export function refuse(path: string): never {
	throw new ForbiddenValue(path);
}

function membersOf(value: Json, path: string): { [member: string]: Json } {
	return value === null || typeof value !== "object" || Array.isArray(value) ? refuse(path) : value;
}

function within(path: string, name: string): string {
	return path === "" ? name : `${path}.${name}`;
}
