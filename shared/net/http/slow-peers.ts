/** The times that an HTTP server grants a peer that sends slowly or nothing, in milliseconds. A server whose calls take longer says so itself. */
export const slowPeerLimits = {
	headersTimeout: 10_000,
	requestTimeout: 15_000,
	keepAliveTimeout: 5_000,
	/** The interval at which the two timeouts of a request are checked. Node's own default of 30 s would be added to each of them. */
	connectionsCheckingInterval: 1_000,
} as const;
