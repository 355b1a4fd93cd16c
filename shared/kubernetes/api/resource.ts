/** Names collections of the API, and the paths of their objects (Kubernetes API concepts, "Resource URIs"). */

/** A collection, such as the pods of a namespace. */
export interface Resource {
	/** Absent: the core group. */
	readonly group?: string;
	readonly version: string;
	readonly plural: string;
	/** Absent: the objects belong to no namespace. */
	readonly namespace?: string;
}

/** A name as objects have it, at most: no character of it means something in a path (RFC 1123 names with dots and colons). */
const objectName = /^[a-z0-9][a-z0-9.:-]{0,252}$/;

/**
 * Returns the path of a collection, of one object of it, or of a part of the object such as its `status`.
 * @throws {RangeError} for a name that no object can have.
 */
export function pathOf({ group, version, plural, namespace }: Resource, name?: string, part?: string): string {
	const root = group === undefined ? ["api", version] : ["apis", group, version];
	const within = namespace === undefined ? [] : ["namespaces", checked(namespace)];
	const rest = [name, part].flatMap((segment) => (segment === undefined ? [] : [checked(segment)]));
	return `/${[...root, ...within, plural, ...rest].join("/")}`;
}

/** The collection in words, for sentences such as "list pods in the namespace atelier-sessions". */
export function wordsOf({ group, plural, namespace }: Resource): string {
	const full = group === undefined ? plural : `${plural}.${group}`;
	return namespace === undefined ? full : `${full} in the namespace "${namespace}"`;
}

function checked(name: string): string {
	if (!objectName.test(name))
		throw new RangeError(`No object of the cluster can be called ${JSON.stringify(name.slice(0, 260))}`);
	return name;
}
