/** Port: the collection that a watch loop follows. */
import type { ApiClient } from "../api/api-client.ts";
import type { KubeObject } from "../api/kube-object.ts";
import type { Listed, ListVersion } from "../api/list-pages.ts";
import { type Resource, wordsOf } from "../api/resource.ts";

/** The state from which a watch goes on, and the time after which the server ends it. */
export interface WatchStart {
	readonly resourceVersion: string;
	readonly timeoutSeconds: number;
}

/** All methods throw {@link ApiError}. */
export interface WatchSource<Seen extends KubeObject> {
	/** The collection in words. */
	readonly words: string;
	list<Kept>(
		keep: (object: Seen) => Kept,
		version: ListVersion | undefined,
		signal: AbortSignal,
	): Promise<Listed<Kept>>;
	/** Resolves when the server begins to answer. The signal ends the bytes, whose reading throws then. */
	watch(start: WatchStart, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}

/** Returns the objects of a collection that have the labels. */
export function collectionSource<Seen extends KubeObject>(
	client: ApiClient,
	resource: Resource,
	labelSelector?: string,
): WatchSource<Seen> {
	return {
		words: wordsOf(resource),
		list: (keep, version, signal) => client.list(resource, keep, { labelSelector, version, signal }),
		watch: (start, signal) => client.watch(resource, { ...start, labelSelector }, signal),
	};
}
