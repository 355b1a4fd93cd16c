/** Bounds of the model proxy. */

export interface ProxyLimits {
	/** Calls under way; one more is told to come back. Default 32. */
	calls: number;
	/** Bytes of one request's body, as much as the largest provider takes. Default 32 MiB. */
	bodyBytes: number;
	/** Bytes of all bodies held at one time. Default 128 MiB. */
	heldBytes: number;
	/** How long a connection to the provider may take to open: a person waits. Default 10 s. */
	connectMs: number;
	/** How long the provider may take to begin its answer; models that think before they speak take minutes. Default 10 min. */
	firstByteMs: number;
	/** How long an answer may pause, on either side. Default 5 min. */
	idleMs: number;
}

export const defaultLimits: ProxyLimits = {
	calls: 32,
	bodyBytes: 33_554_432,
	heldBytes: 134_217_728,
	connectMs: 10_000,
	firstByteMs: 600_000,
	idleMs: 300_000,
};
