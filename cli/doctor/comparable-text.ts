/** The parts of an answer that refused requests must leave as they are, and their first difference. */
import type { Caller } from "./caller.ts";

/** Members that the platform measures by itself. */
const measured = /"(?:size_gb|size_bytes|measured_at)":[^,}]*/g;

/**
 * Returns a function that removes what changes by itself. Part of that is the role of a person whom several callers name
 * with different roles: each process stores the roles of a first request, which may be any of theirs.
 */
export function comparableBy(callers: readonly Caller[]): (text: string) => string {
	const principals = callers.flatMap(({ principal }) => (principal?.kind === "user" ? [principal] : []));
	const people = Map.groupBy(principals, ({ id }) => id);
	const several = [...people].filter(([, own]) => new Set(own.map(({ roles }) => roles.join())).size > 1);
	const ids = several.map(([id]) => RegExp.escape(id)).join("|");
	const claimed = new RegExp(`("user_id":"(?:${ids})","tenant_id":"[^"]*",)"role":"[^"]*"`, "g");
	return (text) => text.replaceAll(measured, "").replaceAll(claimed, "$1");
}

/** Returns the first difference of two texts with what stands around it. */
export function changeOf(before: string, now: string): string {
	let start = 0;
	while (start < before.length && before[start] === now[start]) start++;
	const part = (text: string) => text.slice(Math.max(0, start - 100), start + 200);
	return `${part(before)} became ${part(now)}`;
}
