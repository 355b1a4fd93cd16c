/** The reasons why there is no diff of the workspace. Each message is a sentence for the caller. */

/** The request is invalid: it has an unknown base, or a path that is not below the workspace. */
export class DiffQuestionError extends Error {
	override readonly name = "DiffQuestionError";
}

/** The workspace is no git repository. */
export class NoRepositoryError extends Error {
	override readonly name = "NoRepositoryError";
}

/** Git cannot compare the workspace; the message has git's own words. */
export class DiffFailedError extends Error {
	override readonly name = "DiffFailedError";
}

/** Too many diffs are requested at once; the request may be repeated later. */
export class DiffBusyError extends Error {
	override readonly name = "DiffBusyError";
}

/** The diff, or the earlier ones in the queue, took too long. */
export class DiffTimeoutError extends Error {
	override readonly name = "DiffTimeoutError";
}
