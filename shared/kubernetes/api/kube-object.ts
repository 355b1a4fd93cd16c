/** The members of Kubernetes' objects and answers that the client itself reads; the server has checked everything else. */

/** The metadata of an object, as the server answers it. */
export interface ObjectMeta {
	readonly name: string;
	readonly namespace?: string;
	readonly uid?: string;
	/** It is opaque to all but the server, except that a later version of an object has a higher one. */
	readonly resourceVersion?: string;
	/** ISO 8601, by the cluster's clock. */
	readonly creationTimestamp?: string;
	readonly deletionTimestamp?: string;
	readonly labels?: Readonly<Record<string, string>>;
	readonly annotations?: Readonly<Record<string, string>>;
	readonly finalizers?: readonly string[];
}

/** Any object. A kind extends it with the members that its caller reads. */
export interface KubeObject {
	readonly apiVersion?: string;
	readonly kind?: string;
	readonly metadata: ObjectMeta;
}

/** One page of a list; a missing list of items is an empty one. */
export interface KubeList {
	readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
	readonly items?: readonly KubeObject[] | null;
}

/** The answer to a call that failed, and the object of an ERROR event (API conventions, "Response Status Kind"). */
export interface KubeStatus {
	readonly code?: number;
	readonly reason?: string;
	readonly message?: string;
	readonly details?: {
		readonly retryAfterSeconds?: number;
		readonly causes?: readonly { readonly field?: string; readonly reason?: string; readonly message?: string }[];
	};
}

/** One line of a watch. */
export interface WatchEvent {
	readonly type?: string;
	readonly object?: unknown;
}

/** The object of a type's usual form, or undefined. */
export function asObject(value: unknown): KubeObject | undefined {
	if (!(value instanceof Object) || !("metadata" in value) || !(value.metadata instanceof Object)) return undefined;
	const { metadata } = value;
	return "name" in metadata && typeof metadata.name === "string" ? (value as KubeObject) : undefined;
}
