/** Bounds of the model proxy. */
import { bound } from "#shared/base/bounds.ts";

export interface ProxyLimits {
	/** The number of calls under way; a further call is asked to come back. */
	calls: number;
	/** The bytes of one request's body, as many as the largest provider takes. */
	bodyBytes: number;
	/** The bytes of all bodies that are held at one time. */
	heldBytes: number;
	/** How long a connection to the provider may take to open, while a person waits. The default is 10 s. */
	connectMs: number;
	/** How long a response may take to begin; models that think first take minutes. The default is 10 min. */
	firstByteMs: number;
	/** How long a response may pause, on either side. The default is 5 min. */
	idleMs: number;
}

export const defaultLimits: ProxyLimits = {
	calls: bound.modelCalls,
	bodyBytes: bound.modelBodyBytes,
	heldBytes: bound.modelHeldBytes,
	connectMs: 10_000,
	firstByteMs: 600_000,
	idleMs: 300_000,
};
