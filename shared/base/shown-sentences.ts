/** Keeps the sentences of one teller in a list that several share, e.g. what `/health` says that an installation lacks. */

/** Returns what replaces this teller's former sentences in the list by the present ones. */
export function shownIn(list: string[]): (present: readonly string[]) => void {
	let shown: readonly string[] = [];
	return (present) => {
		for (const former of shown) if (list.includes(former)) list.splice(list.indexOf(former), 1);
		list.push(...present);
		shown = present;
	};
}
