/** The facts that explain a pod beside its own object. */

/** The newest event of a kind, as the cluster tells it (Kubernetes API, core/v1 Event). */
export interface ClusterEvent {
	/** Such as `FailedMount` or `ProvisioningFailed`. */
	readonly reason: string;
	readonly message: string;
	/** When it happened last, by the clock of the cluster, for people. */
	readonly at?: string;
}

export interface Circumstances {
	/**
	 * Returns how long this process has seen a pod in a condition, in milliseconds. No decision needs a clock of the cluster.
	 * @param what The name of the condition.
	 */
	readonly seenFor: (uid: string, what: string) => number;
	/** Returns the newest events of a pod and of its volume claim, as far as they were read. */
	readonly eventsOf: (uid: string) => readonly ClusterEvent[];
}
