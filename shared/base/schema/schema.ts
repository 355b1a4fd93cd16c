/**
 * The schema language of the system: a strict subset of the rules of fastest-validator. One schema is the validator of
 * an action's parameters, the static type of its callers and its handler, and its part of the OpenAPI document.
 *
 * Only object rules are allowed (never the `"string|optional"` shorthand), with JSON values only, because action
 * definitions travel over the bus.
 * @example
 * ```ts
 * const pageFields = schema({
 * 	limit: { type: "number", integer: true, min: 1, max: 200, default: 50 },
 * 	after: { type: "string", max: 512, optional: true },
 * });
 * type PageParams = Output<typeof pageFields>; // { limit: number; after?: string }
 * ```
 */

interface CommonRule {
	optional?: boolean;
	nullable?: boolean;
	description?: string;
}

interface StringRule {
	type: "string";
	min?: number;
	max?: number;
	pattern?: string;
	/**
	 * The end of the sentence "String should …" for a value outside the pattern; without it the expression is told. It
	 * has no double quotes and backslashes, because the library puts it into code.
	 */
	words?: string;
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
	| (CommonRule & StringRule)
	| (CommonRule & NumberRule)
	| (CommonRule & { type: "uuid" | "url" | "email" })
	| (CommonRule & { type: "boolean"; default?: boolean })
	| (CommonRule & { type: "enum"; values: readonly string[]; default?: string })
	| (CommonRule & Sized & { type: "array"; items: Rule; min?: number; max?: number; default?: readonly never[] })
	| (CommonRule & { type: "object"; props: Schema })
	| (CommonRule & Sized & Keyed & { type: "record"; value: Rule })
	| (CommonRule & { type: "multi"; rules: readonly Rule[] })
	| (CommonRule & Sized & { type: "any" });

/** The bound of values with arbitrary members; without it their size is unlimited. */
interface Sized {
	/** The length of the value as JSON text, in bytes. */
	max_bytes?: number;
}

interface Keyed {
	key: { type: "string" };
	default?: Record<string, never>;
	/** The keys that the platform reads. Any others are allowed, and a similar one is told to its sender. */
	names?: readonly string[];
}

/** The rules of an object by the names of its fields. */
export interface Schema {
	readonly [field: string]: Rule;
}

type Simplify<T> = { [K in keyof T]: T[K] } & {};

type OptionalKeys<S> = { [K in keyof S]: S[K] extends { optional: true } ? K : never }[keyof S];
type DefaultedKeys<S> = { [K in keyof S]: S[K] extends { default: {} } ? K : never }[keyof S];

/** The type that a handler receives: defaults are filled in. */
export type Output<S> = Simplify<
	{ -readonly [K in Exclude<keyof S, OptionalKeys<S>>]: Value<S[K]> } & {
		-readonly [K in OptionalKeys<S>]?: Value<S[K]> | undefined;
	}
>;

/** The type that a caller may send: fields with a default may be left out. */
export type Input<S> = Simplify<
	{ -readonly [K in Exclude<keyof S, OptionalKeys<S> | DefaultedKeys<S>>]: Value<S[K]> } & {
		-readonly [K in OptionalKeys<S> | DefaultedKeys<S>]?: Value<S[K]> | undefined;
	}
>;

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

/** Returns the schema with its literal types; the compiler checks its rules. */
export function schema<const S extends Schema>(fields: S): S {
	return fields;
}
