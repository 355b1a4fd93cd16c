/**
 * Names of indexes in MongoDB: the declared name and the columns. An index whose declaration has changed has another name,
 * so that it can be made beside the former one.
 */

/** @param key Fields of the index, in order. */
export function indexName(declared: string, key: Readonly<Record<string, 1>>): string {
	return `${declared}:${Object.keys(key).join(",")}`;
}

/** The declared name. */
export function declaredIndex(name: string): string {
	return name.split(":", 1)[0] ?? name;
}

/** Whether a name has the form of ours; whoever runs the server may have made indexes of their own. */
export function isOurs(name: string): boolean {
	return name.includes(":");
}
