/**
 * The form of the terms for one wire format: what a call may contain in a session with a budget. Everything else
 * could have a price that is not counted.
 */
import type { JsonObject } from "#shared/base/schema/parsed-json.ts";

/** The rule for one member; with `true` any value is allowed. */
export type Rule = true | ((value: unknown) => boolean);

export interface WireTerms {
	/** The rules for the members of the body except its tools. Null counts as absent. */
	readonly members: Readonly<Record<string, Rule>>;
	/** Returns what is passed on of a tool; undefined for a tool that the provider runs and bills by use. */
	readonly tool: (tool: JsonObject) => JsonObject | undefined;
	/** Returns the bounds on the tokens of the answer. The greatest is used: the provider may read any of them. */
	readonly outputLimits: (body: JsonObject) => readonly unknown[];
	/** Classifies an object anywhere in the body. */
	readonly part: (part: JsonObject) => PartTerm;
	readonly query: RegExp;
}

/** A `plain` part has no more tokens than bytes. */
export type PartTerm = "plain" | "image" | "reference" | "refused";

export const isSwitch: Rule = (value) => typeof value === "boolean";
export const isOff: Rule = (value) => value === false;
export const isOne: Rule = (value) => value === 1;

export function isOneOf(...values: readonly unknown[]): Rule {
	return (value) => values.includes(value);
}

export function isText(value: unknown, pattern: RegExp): boolean {
	return typeof value === "string" && pattern.test(value);
}

export function any(...names: readonly string[]): Record<string, Rule> {
	return Object.fromEntries(names.map((name) => [name, true as const]));
}
