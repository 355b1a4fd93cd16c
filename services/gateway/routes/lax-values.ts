/**
 * Reads numbers and booleans that a client has written as texts, as the contract's first implementation does in bodies: "12" is
 * 12, and "true" or 1 is true. Calls on the bus are not converted, because the platform's own services write the right type.
 */
import type { Rule, Schema } from "#shared/base/schema/schema.ts";

/** Returns the value with the type that its rule wants, or unchanged when it does not mean one. Members change in place. */
export type Convert = (value: unknown) => unknown;

const wholeText = /^[+-]?\d{1,15}(?:\.0{1,15})?$/;
const numberText = /^[+-]?\d{1,15}(?:\.\d{1,15})?(?:[eE][+-]?\d{1,3})?$/;
/** The most characters of a text that may be a number. */
const maxText = 40;

const booleans = new Map<unknown, boolean>([
	...["1", "on", "t", "true", "y", "yes", 1].map((value) => [value, true] as const),
	...["0", "off", "f", "false", "n", "no", 0].map((value) => [value, false] as const),
]);

/** Prepares the conversion of one value; undefined when its rule has no number and no boolean. */
export function compileLax(rule: Rule): Convert | undefined {
	if (rule.type === "number") return (value) => numberOf(value, rule.integer ? wholeText : numberText);
	if (rule.type === "boolean") return booleanOf;
	if (rule.type === "object") return inObject(rule.props);
	if (rule.type === "array") return inEach(compileLax(rule.items));
	if (rule.type === "record") return inEach(compileLax(rule.value));
	return undefined;
}

function booleanOf(value: unknown): unknown {
	const known = typeof value === "string" && value.length <= maxText ? value.toLowerCase() : value;
	return booleans.get(known) ?? value;
}

function numberOf(value: unknown, form: RegExp): unknown {
	if (typeof value !== "string" || value.length > maxText) return value;
	const text = value.trim();
	return form.test(text) ? Number(text) : value;
}

function inObject(props: Schema): Convert | undefined {
	const converts = Object.entries(props).flatMap(([name, rule]) => {
		const convert = compileLax(rule);
		return convert ? [[name, convert] as const] : [];
	});
	if (converts.length === 0) return undefined;
	return (value) => {
		if (!isStructure(value)) return value;
		for (const [name, convert] of converts)
			if (Object.hasOwn(value, name)) Reflect.set(value, name, convert(Reflect.get(value, name)));
		return value;
	};
}

function inEach(convert: Convert | undefined): Convert | undefined {
	if (!convert) return undefined;
	return (value) => {
		if (isStructure(value))
			for (const [name, member] of Object.entries(value)) Reflect.set(value, name, convert(member));
		return value;
	};
}

function isStructure(value: unknown): value is object {
	return typeof value === "object" && value !== null;
}
