/** Fills in the placeholders of a record, `{name}` or `{name:detail}`, in texts, lists, maps and their keys. Pure. */

/** A placeholder that is the whole text becomes a number when its value is one. */
export type PlaceholderValues = Readonly<Record<string, string | number>>;

const anyPlaceholder = /\{([a-z_]+(?::[\w.-]+)?)\}/g;
const onePlaceholder = /^\{([a-z_]+(?::[\w.-]+)?)\}$/;

/** A placeholder without a value is not changed. */
export function fillText(text: string, values: PlaceholderValues): string {
	return text.replaceAll(anyPlaceholder, (placeholder, name: string) => String(values[name] ?? placeholder));
}

export function fillAll(value: unknown, values: PlaceholderValues): unknown {
	if (typeof value === "string") {
		const alone = values[onePlaceholder.exec(value)?.[1] ?? ""];
		return alone ?? fillText(value, values);
	}
	if (Array.isArray(value)) return value.map((item) => fillAll(item, values));
	if (typeof value !== "object" || value === null) return value;
	const entries = Object.entries(value).map(([key, item]) => [fillText(key, values), fillAll(item, values)]);
	return Object.fromEntries(entries);
}
