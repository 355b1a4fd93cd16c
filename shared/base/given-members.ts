/** Reads the members that an update names. Pure. */

type Given<T> = { [K in keyof T]?: NonNullable<T[K]> };

/** Returns the members of an update that are not null; undefined when there are none. */
export function givenMembers<T extends object>(update: T): Given<T> | undefined {
	const given = Object.entries(update).filter(([, value]) => value !== null && value !== undefined);
	return given.length === 0 ? undefined : (Object.fromEntries(given) as Given<T>);
}
