/** The part of a git provider's adapter that knows its webhooks. */

/** A message as it arrived; names of headers are in lower case. */
export interface Delivery {
	readonly headers: Readonly<Record<string, string | undefined>>;
	readonly body: string;
}

/** The state of a pull request at a time; it may arrive late, and more than once. */
export interface PullEvent {
	readonly repo_url: string;
	readonly number: number;
	readonly state: "open" | "merged" | "closed";
	readonly head_sha: string;
	/** The commit that the merge made; null when it is not merged or the message does not say. */
	readonly merge_sha: string | null;
	/** The time of the state, as ISO 8601. */
	readonly at: string;
}

/** The webhooks of one kind of git host. Their headers begin with `x-` or `webhook-`, because the gateway passes no others. */
export interface Webhooks {
	/** The headers with the id of a delivery, in the order in which they are looked for. */
	readonly idHeaders: readonly string[];
	readonly eventHeader: string;
	/** The event of a change of a pull request. */
	readonly pullEvents: readonly string[];
	/** Whether the sender knows the secret, compared in constant time. */
	isSigned(secret: string, delivery: Delivery): boolean;
	/**
	 * Reads a parsed message of such an event, whose members are checked, because a signature vouches for the sender only;
	 * undefined: it cannot be understood. The time may have any form that JavaScript reads.
	 */
	readPull(message: unknown): PullEvent | undefined;
}
