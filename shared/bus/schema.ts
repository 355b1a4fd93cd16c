/**
 * The one schema language of the system: a strict subset of fastest-validator
 * rules. A schema written once is the validator of an action's parameters, the
 * static type of its callers and handler, and the OpenAPI document.
 *
 * Only object rules are allowed (never the `"string|optional"` shorthand), and
 * only JSON values inside them, because action definitions travel over the bus.
 */

interface Common {
	optional?: boolean;
	nullable?: boolean;
	description?: string;
}

interface StringRule {
	type: "string";
	min?: number;
	max?: number;
	pattern?: string;
	/** Blanks around the value are removed before the other checks. */
	trim?: boolean;
	/** JSON Schema `format`; documents the value, is not checked. */
	format?: "date-time";
	default?: string;
}

interface NumberRule {
	type: "number";
	min?: number;
	max?: number;
	integer?: boolean;
	default?: number;
}

export type Rule =
	| (Common & StringRule)
	| (Common & NumberRule)
	| (Common & { type: "uuid" | "url" | "email" })
	| (Common & { type: "boolean"; default?: boolean })
	| (Common & { type: "enum"; values: readonly string[]; default?: string })
	| (Common & Sized & { type: "array"; items: Rule; min?: number; max?: number; default?: readonly never[] })
	| (Common & { type: "object"; props: Schema })
	| (Common & Sized & { type: "record"; key: { type: "string" }; value: Rule; default?: Record<string, never> })
	| (Common & { type: "multi"; rules: readonly Rule[] })
	| (Common & Sized & { type: "any" });

/** Of values whose members are free: without it, nothing bounds them. */
interface Sized {
	/** Longest JSON text of the value, in bytes. */
	max_bytes?: number;
}

/** Rules by field name. */
export interface Schema {
	readonly [field: string]: Rule;
}

type Simplify<T> = { [K in keyof T]: T[K] } & {};

type OptionalKeys<S> = { [K in keyof S]: S[K] extends { optional: true } ? K : never }[keyof S];
type DefaultedKeys<S> = { [K in keyof S]: S[K] extends { default: {} } ? K : never }[keyof S];

/** What a handler receives: defaults are filled in. */
export type Output<S> = Simplify<
	{ -readonly [K in Exclude<keyof S, OptionalKeys<S>>]: Value<S[K]> } & {
		-readonly [K in OptionalKeys<S>]?: Value<S[K]> | undefined;
	}
>;

/** What a caller may send: fields with a default may be left out. */
export type Input<S> = Simplify<
	{ -readonly [K in Exclude<keyof S, OptionalKeys<S> | DefaultedKeys<S>>]: Value<S[K]> } & {
		-readonly [K in OptionalKeys<S> | DefaultedKeys<S>]?: Value<S[K]> | undefined;
	}
>;

/** The value one rule accepts. */
export type Value<R> = R extends { nullable: true } ? NonNull<R> | null : NonNull<R>;

type NonNull<R> = R extends { type: "enum"; values: readonly (infer V)[] }
	? V
	: R extends { type: "string" | "uuid" | "url" | "email" }
		? string
		: R extends { type: "number" }
			? number
			: R extends { type: "boolean" }
				? boolean
				: R extends { type: "array"; items: infer I }
					? Value<I>[]
					: R extends { type: "object"; props: infer P }
						? Output<P>
						: R extends { type: "record"; value: infer V }
							? Record<string, Value<V>>
							: R extends { type: "multi"; rules: readonly (infer U)[] }
								? Value<U>
								: unknown;

/** Keeps the literal types of a schema and checks its rules for typing errors. */
export function schema<const S extends Schema>(fields: S): S {
	return fields;
}
