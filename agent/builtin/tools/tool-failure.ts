/** A tool call that failed: the model receives the sentence and may try something else. */
export class ToolFailure extends Error {
	override readonly name = "ToolFailure";
}
