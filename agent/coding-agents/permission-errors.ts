/** Why an answer to a request for a permission is not taken. Each message is a sentence for whoever answers. */

/** No such request was made, or it was answered so long ago that nobody remembers. */
export class UnknownPermissionError extends Error {
	override readonly name = "UnknownPermissionError";
}

/** The request was withdrawn, or answered otherwise. */
export class PermissionClosedError extends Error {
	override readonly name = "PermissionClosedError";
}

/** The request does not offer what the answer chooses, or the answer chooses nothing. */
export class PermissionAnswerError extends Error {
	override readonly name = "PermissionAnswerError";
}
