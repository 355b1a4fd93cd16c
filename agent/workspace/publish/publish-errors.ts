/** The reasons why the work of a session was not pushed. Each message is a sentence for the caller. */

/** The launch has no repository at that place, or there is none any more. */
export class UnknownRepositoryError extends Error {
	override readonly name = "UnknownRepositoryError";
}

/** The coding agent changes the files at the moment. */
export class WorkUnderWayError extends Error {
	override readonly name = "WorkUnderWayError";
}

/** Git cannot commit; the message has git's own words. */
export class CommitFailedError extends Error {
	override readonly name = "CommitFailedError";
}

/** The branch at the remote has commits that the session does not have. They are never overwritten. */
export class BranchMovedError extends Error {
	override readonly name = "BranchMovedError";
}

/** The remote does not accept the push, or cannot be reached; the message has git's own words. */
export class PushRefusedError extends Error {
	override readonly name = "PushRefusedError";
}

/** The push took too long. It may still have taken effect. */
export class PushTimeoutError extends Error {
	override readonly name = "PushTimeoutError";
}
