/** Makes the call of the tool by which an agent's model asks a person a question, whatever the agent calls it. */
import { type Json, jsonOf, type OfferedTool, type ToolCall } from "./model-request.ts";
import { objectOf } from "./schema-instance.ts";

/** The names were seen in Claude, Cline, Codex, Gemini, Kimi, opencode and Qwen. */
const questionTool = /^(ask_?user(_?question)?|ask_?(followup_)?question|request_user_input|question)$/i;

/** Returns the call, or undefined when no such tool is offered. @param labels The answers that are offered to the person. */
export function questionCall(
	tools: readonly OfferedTool[],
	question: string,
	labels: readonly string[],
): ToolCall | undefined {
	const tool = tools.find(({ name }) => questionTool.test(name));
	return tool && { name: tool.name, args: argsOf(tool.schema ?? {}, question, labels) };
}

/** The tools take a list of questions, or one question. */
function argsOf(schema: Json, question: string, labels: readonly string[]): Json {
	const { questions } = jsonOf(schema["properties"]);
	if (questions === undefined) return oneQuestion(schema, question, labels);
	return objectOf(schema, { questions: [oneQuestion(jsonOf(jsonOf(questions)["items"]), question, labels)] });
}

function oneQuestion(schema: Json, question: string, labels: readonly string[]): Json {
	const option = jsonOf(jsonOf(jsonOf(schema["properties"])["options"])["items"]);
	const isText = jsonOf(option["properties"])["label"] === undefined;
	const options = labels.map((label) => (isText ? label : objectOf(option, { label, description: `${label}.` })));
	return objectOf(schema, { question, header: "Choice", options });
}
