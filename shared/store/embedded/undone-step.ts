/**
 * A step has failed after it had written something. The transaction is rolled back and made again without it, because a
 * savepoint around each step would cost every write a copy of each page that it changes.
 */
export class UndoneStep extends Error {
	override readonly name = "UndoneStep";

	/** @param cause The error of the step, which its caller gets. */
	constructor(cause: unknown) {
		super("A step has to be undone", { cause });
	}
}
