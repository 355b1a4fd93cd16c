/**
 * Names indexes in MongoDB by the declared name and the columns. An index whose declaration has changed gets another
 * name, so it can be created beside the former one.
 */

/** Returns the name. @param key The fields of the index, in order. */
export function indexName(declared: string, key: Readonly<Record<string, 1>>): string {
	return `${declared}:${Object.keys(key).join(",")}`;
}

export function declaredIndex(name: string): string {
	return name.split(":", 1)[0] ?? name;
}

/** Whether a name was made by this module; administrators may have made indexes of their own. */
export function isOurs(name: string): boolean {
	return name.includes(":");
}
