/** A tool call that came to nothing: the model is told the sentence and may try something else. */
export class ToolFailure extends Error {
	override readonly name = "ToolFailure";
}
