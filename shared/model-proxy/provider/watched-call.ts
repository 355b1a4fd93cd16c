/** The interface by which the session learns whether its model answers. */

/** Receives what becomes of a call, before its caller learns it. Only the first report of an end counts. */
export interface WatchedCall {
	/** The provider begins a response that is no error. */
	answering(): void;
	/** The call has ended. @param failure A sentence; undefined when the call succeeded. */
	over(failure?: string): void;
	/** A budget refused the call. @param reason A sentence. */
	refused(reason: string): void;
	/** The caller left before there was a response. */
	left(): void;
}

/** It is called when a model call begins. */
export type WatchCall = () => WatchedCall;

export function watchNothing(): WatchedCall {
	return { answering() {}, over() {}, refused() {}, left() {} };
}
