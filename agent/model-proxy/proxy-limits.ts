/** Bounds of the model proxy. */

/** The bounds of one proxy. */
export interface ProxyLimits {
	/** The number of calls under way; a further call is asked to come back. The default is 32. */
	calls: number;
	/** The bytes of one request's body, as many as the largest provider takes. The default is 32 MiB. */
	bodyBytes: number;
	/** The bytes of all bodies that are held at one time. The default is 128 MiB. */
	heldBytes: number;
	/** How long a connection to the provider may take to open, while a person waits. The default is 10 s. */
	connectMs: number;
	/**
	 * How long the provider may take to begin its response; models that think first take minutes. The default is 10
	 * min.
	 */
	firstByteMs: number;
	/** How long a response may pause, on either side. The default is 5 min. */
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
