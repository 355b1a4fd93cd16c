/** Applies the two forms of patches that the product sends (RFC 6902, RFC 7386). */
import { isDeepStrictEqual } from "node:util";
import { ClusterRefusal } from "./cluster-objects.ts";

type Json = unknown;
type Members = Record<string, Json>;

function isMembers(value: Json): value is Members {
	return value instanceof Object && !Array.isArray(value);
}

/** Returns the merged value; null removes a member. */
export function merged(value: Json, patch: Json): Json {
	if (!isMembers(patch)) return patch;
	const result: Members = isMembers(value) ? { ...value } : {};
	for (const [name, member] of Object.entries(patch)) {
		if (member === null) delete result[name];
		else result[name] = merged(result[name], member);
	}
	return result;
}

/** Returns the value after all steps. @throws {ClusterRefusal} 422 when one does not apply. */
export function afterSteps(value: Json, steps: Json): Json {
	if (!Array.isArray(steps)) throw new ClusterRefusal(400, "BadRequest", "a JSON patch is a list");
	const result = structuredClone(value);
	for (const step of steps) apply(result, step as { op: string; path: string; value?: Json });
	return result;
}

function apply(root: Json, { op, path, value }: { op: string; path: string; value?: Json }): void {
	const keys = path
		.split("/")
		.slice(1)
		.map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
	const last = keys.pop() ?? "";
	let holder = root;
	for (const key of keys) holder = holder instanceof Object ? (holder as Members)[key] : undefined;
	if (!(holder instanceof Object)) throw refused(`the path does not exist: ${path}`);
	checkStep(holder as Members, last, { op, path, value });
	if (Array.isArray(holder)) changeList(holder, last, op, value);
	else if (op === "remove") delete (holder as Members)[last];
	else if (op !== "test") (holder as Members)[last] = value;
}

function checkStep(
	holder: Members,
	last: string,
	{ op, path, value }: { op: string; path: string; value: Json },
): void {
	// Null stands for no member.
	if (op === "test" && !isDeepStrictEqual(holder[last] ?? null, value ?? null))
		throw refused(`testing value ${path} failed`);
	if ((op === "remove" || op === "replace") && !Object.hasOwn(holder, last))
		throw refused(`Unable to remove nonexistent key: ${path}`);
}

function changeList(list: Json[], last: string, op: string, value: Json): void {
	const at = last === "-" ? list.length : Number(last);
	if (op === "remove") list.splice(at, 1);
	else if (op === "add") list.splice(at, 0, value);
	else if (op === "replace") list[at] = value;
}

function refused(message: string): ClusterRefusal {
	return new ClusterRefusal(422, "Invalid", message);
}
