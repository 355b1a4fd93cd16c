/** What a call may have in a session with a budget, for one wire: everything else might be billed as nobody counts here. */
import type { JsonObject } from "../../io/json-object.ts";

/** True: any value will do. */
export type Rule = true | ((value: unknown) => boolean);

export interface WireTerms {
	/** Members of the body, its tools aside. Null counts as absent. */
	readonly members: Readonly<Record<string, Rule>>;
	/** What is passed on of a tool: nothing of one that the provider runs, which is billed by use. */
	readonly tool: (tool: JsonObject) => JsonObject | undefined;
	/** Members that bound the tokens of the answer; the greatest one counts, whichever the provider reads. */
	readonly outputLimits: (body: JsonObject) => readonly unknown[];
	/** Objects anywhere in the body. */
	readonly part: (part: JsonObject) => PartTerm;
	readonly query: RegExp;
}

/** `plain`: its tokens are no more than its bytes. */
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
