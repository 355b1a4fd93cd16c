/** Fills in the places of a record, `{name}` or `{name:detail}`, wherever they stand: in texts, lists, maps and their keys. Pure. */

/** A place whose value is a number stays one where it stands alone. */
export type Places = Readonly<Record<string, string | number>>;

const anyPlace = /\{([a-z_]+(?::[\w.-]+)?)\}/g;
const onePlace = /^\{([a-z_]+(?::[\w.-]+)?)\}$/;

/** What is no place of these stays as it is. */
export function fillText(text: string, places: Places): string {
	return text.replaceAll(anyPlace, (place, name: string) => String(places[name] ?? place));
}

export function fillAll(value: unknown, places: Places): unknown {
	if (typeof value === "string") {
		const alone = places[onePlace.exec(value)?.[1] ?? ""];
		return alone ?? fillText(value, places);
	}
	if (Array.isArray(value)) return value.map((item) => fillAll(item, places));
	if (typeof value !== "object" || value === null) return value;
	const entries = Object.entries(value).map(([key, item]) => [fillText(key, places), fillAll(item, places)]);
	return Object.fromEntries(entries);
}
