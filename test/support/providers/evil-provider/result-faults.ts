/** Says whether a result of an adapter has the form that callers count on, however odd the provider's answer was. */

/** Members that may be null although the honest result has a value. */
const nullable =
	/^(assignee|description|mergeable|author|workspace|user|created_at|updated_at|head_sha|url|commit|at|default_branch)$/;
const maxText = 70_000;
const maxItems = 10_000;

/**
 * Returns what is wrong about a result.
 * @param honest A result of the same operation with an honest server: the example for names and types.
 */
export function resultFaults(result: unknown, honest: unknown, name = "result"): string[] {
	if (Array.isArray(honest)) return listFaults(result, honest, name);
	if (typeof honest === "object" && honest !== null) return objectFaults(result, Object.entries(honest), name);
	return valueFaults(result, honest, name);
}

function listFaults(result: unknown, honest: unknown[], name: string): string[] {
	if (!Array.isArray(result)) return [`${name} is no list`];
	if (result.length > maxItems) return [`${name} has ${result.length} items`];
	if (honest.length === 0) return [];
	return result.flatMap((item) => resultFaults(item, honest[0], name)).slice(0, 3);
}

function objectFaults(result: unknown, members: [string, unknown][], name: string): string[] {
	if (typeof result !== "object" || result === null || Array.isArray(result))
		return result === null && nullable.test(name)
			? []
			: [`${name} is no object: ${JSON.stringify(result)?.slice(0, 100)}`];
	const found = new Map(Object.entries(result));
	const unknown = [...found.keys()].filter((key) => !members.some(([known]) => known === key));
	return [
		...unknown.map((key) => `${name} has "${key}"`),
		...members.flatMap(([key, example]) => resultFaults(found.get(key), example, key)),
	];
}

function valueFaults(result: unknown, honest: unknown, name: string): string[] {
	if (honest === null || honest === undefined) return [];
	if (result === null) return nullable.test(name) ? [] : [`${name} is null`];
	if (typeof result === "string" && typeof honest === "string") return textFaults(result, name);
	if (typeof result !== typeof honest) return [`${name} is ${typeof result} and not ${typeof honest}`];
	return typeof result !== "number" || Number.isSafeInteger(result) ? [] : [`${name} is ${result}`];
}

function textFaults(text: string, name: string): string[] {
	if (text.length > maxText) return [`${name} has ${text.length} characters`];
	const isLink = /url$/i.test(name) && text !== "";
	return isLink && !/^https?:\/\//.test(text) ? [`${name} is ${text.slice(0, 60)}`] : [];
}
