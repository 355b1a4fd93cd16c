/** What becomes of a model call, told to whoever wants to know whether the model answers. */

/** The first word about the end counts. All is told before the caller of the model learns it. */
export interface WatchedCall {
	/** The provider begins to answer, and not with an error. */
	answering(): void;
	/** @param failure A sentence; undefined: it went well, or a budget refused it. */
	over(failure?: string): void;
	/** Its caller left before there was an answer. */
	left(): void;
}

/** Asked as a call begins. */
export type WatchCall = () => WatchedCall;

export function watchNothing(): WatchedCall {
	return { answering() {}, over() {}, left() {} };
}
