/** The reasons for refusing an answer to a permission request. Each message is a sentence for its sender. */

/** The request was never made, or was answered so long ago that its answer was removed. */
export class UnknownPermissionError extends Error {
	override readonly name = "UnknownPermissionError";
}

/** The request was withdrawn, or has a different answer. */
export class PermissionClosedError extends Error {
	override readonly name = "PermissionClosedError";
}

/** The request does not offer the chosen option, or the answer chooses none. */
export class PermissionAnswerError extends Error {
	override readonly name = "PermissionAnswerError";
}
