/** Reads the answers of pods, which a pod may have forged: what does not have the form of the contract goes no further. */
import type { Action } from "#shared/contracts/contract.ts";
import type { Output, Rule, Schema } from "#shared/base/schema/schema.ts";
import { compileRule } from "#shared/base/schema/validator.ts";
import { UpstreamError } from "#shared/base/errors.ts";
import { oneLine } from "#shared/base/one-line.ts";

export interface PodForm<T> {
	readonly fits: (value: unknown) => value is T;
}

/** The most levels of an answer; tools of agents may have inputs of any form. */
const maxDepth = 64;
/** The longest sentence of a pod that is passed on, in characters. */
const maxDetail = 500;
const typeForm = /^[A-Z][A-Z_]{0,63}$/;

/** Returns the form of the answers of an action of the contract. */
export function answerForm<I, P, R>({ returns }: Action<I, P, R>): PodForm<R> {
	if (!returns) throw new TypeError("The action returns nothing");
	return formOf(returns);
}

export function podForm<const S extends Schema>(props: S): PodForm<Output<S>> {
	return formOf({ type: "object", props });
}

function formOf<T>(rule: Rule): PodForm<T> {
	const check = compileRule(rule);
	return { fits: (value): value is T => isShallow(value, maxDepth) && check(value).length === 0 };
}

/**
 * Returns an answer without the members that its form does not name. @throws {UpstreamError} when it does not have the
 * form.
 */
export function answerIn<T>(text: string, { fits }: PodForm<T>): T {
	const value = parsed(text);
	if (!fits(value))
		throw new UpstreamError("The session's pod sent an answer that does not fit the contract", "POD_ANSWER");
	return value;
}

/** Returns the sentence and the type of a refusal. */
export function refusalIn(text: string): { detail: string; type: string } {
	const { detail, type } = saidIn(text);
	return {
		detail: detail === "" ? "The session's pod refused the request" : detail,
		type: typeof type === "string" && typeForm.test(type) ? type : "POD_REFUSED",
	};
}

/** Returns the pod's sentence about its failure as the end of one; an empty text when it says nothing. */
export function failureIn(text: string): string {
	const { detail } = saidIn(text);
	return detail === "" ? "" : `: ${detail}`;
}

function saidIn(text: string): { detail: string; type: unknown } {
	const read = parsed(text);
	const { detail, type }: { detail?: unknown; type?: unknown } = typeof read === "object" && read !== null ? read : {};
	return { detail: typeof detail === "string" ? oneLine(detail, maxDetail) : "", type };
}

/** Returns undefined for a text that is no JSON. */
export function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** Whether a value has at most so many levels, and no member that would change a prototype when it is copied. */
function isShallow(value: unknown, levels: number): boolean {
	if (typeof value !== "object" || value === null) return true;
	if (levels === 0 || Object.hasOwn(value, "__proto__")) return false;
	return Object.values(value).every((member) => isShallow(member, levels - 1));
}
