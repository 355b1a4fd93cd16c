/** Why there is no diff of the workspace. Each message is a sentence for whoever asked. */

/** The question has no answer: an unknown base, or a path that is not below the workspace. */
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

/** Too many diffs are asked for at once; the same question may be answered later. */
export class DiffBusyError extends Error {
	override readonly name = "DiffBusyError";
}

/** The diff, or the ones before it, took too long. */
export class DiffTimeoutError extends Error {
	override readonly name = "DiffTimeoutError";
}
