/** Label selectors, and how a watch with one tells a change: an object that leaves the selection counts as deleted. */
import type { KubeObject } from "#shared/kubernetes/api/kube-object.ts";

/** An object with any members. */
export type StoredObject = KubeObject & Readonly<Record<string, unknown>>;

/** One change of a cluster. */
export interface Change {
	readonly type: "ADDED" | "MODIFIED" | "DELETED";
	readonly version: number;
	readonly collection: string;
	readonly object: StoredObject;
	/** The object before; undefined when there was none. */
	readonly former: StoredObject | undefined;
}

/** @param selector `name=value` or `name`, with commas between. */
export function matches({ metadata: { labels = {} } }: StoredObject, selector: string): boolean {
	return selector.split(",").every((term) => {
		const [name = "", value] = term.split("=");
		return name === "" || (value === undefined ? name in labels : labels[name] === value);
	});
}

/** Returns the event; undefined when the watch does not see the change. */
export function asSeenBy(change: Change, selector: string): Change | undefined {
	const { type, object, former } = change;
	const was = former !== undefined && matches(former, selector);
	const is = type !== "DELETED" && matches(object, selector);
	if (is) return { ...change, type: was ? "MODIFIED" : "ADDED" };
	return was ? { ...change, type: "DELETED" } : undefined;
}
