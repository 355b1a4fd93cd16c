/** Makes scripts for any agent: steps are chosen by the user's message, tools by their purpose. */
import type { Answer, Script } from "./answer.ts";
import { type Item, type Json, type ModelRequest, toolSearch } from "./model-request.ts";
import { callNamed, runCommand, writeFile } from "./offered-tools.ts";
import { objectOf } from "./schema-instance.ts";

/** Makes one answer of the model within a turn. */
export type Step = (request: ModelRequest) => Answer;

export function say(text: string, more: Omit<Answer, "text"> = {}): Step {
	return () => ({ text, ...more });
}

/** A step that writes a file. @param path An absolute path, which every agent accepts. */
export function edit(path: string, content: string, more: Omit<Answer, "calls"> = {}): Step {
	return ({ tools }) => ({ calls: [writeFile(tools, path, content)], ...more });
}

export function shell(command: string, more: Omit<Answer, "calls"> = {}): Step {
	return ({ tools }) => ({ calls: [runCommand(tools, command)], ...more });
}

/** A step that calls a tool by a part of its name, e.g. one of an MCP server. */
export function call(name: string | RegExp, args: Json = {}, more: Omit<Answer, "calls"> = {}): Step {
	return ({ tools }) => ({ calls: [callNamed(tools, name, args)], ...more });
}

/** A step that repeats the answer of the last tool. */
export const repeatResult: Step = ({ items }) => ({
	text: items.findLast(({ role }) => role === "tool")?.text ?? "nothing",
});

/**
 * Makes a script with steps for each user message by a word in it. Within a turn, the count of tool calls since the
 * message selects the step, so an agent may repeat a request. All other requests of agents (titles, summaries,
 * classifiers, suggestions) get an acceptable answer and are billed like any other.
 */
export function turns(steps: Readonly<Record<string, readonly Step[]>>): Script {
	const words = Object.keys(steps);
	return (request) => {
		const asked = request.items.findLastIndex((item) => item.role === "user" && wordOf(item, words) !== undefined);
		const item = request.items[asked];
		const word = item && wordOf(item, words);
		const since = request.items.slice(asked + 1);
		if (word === undefined || isHidden(request, since)) return sideAnswer(request);
		const step = steps[word]?.[roundsOf(since)];
		return step ? step(request) : { text: "Done." };
	};
}

/** Returns an answer to a request outside of turns. */
function sideAnswer({ answerSchema }: ModelRequest): Answer {
	return { text: answerSchema ? JSON.stringify(objectOf(answerSchema, {})) : "Scripted title" };
}

/** Returns the last of the words in a text. */
function wordOf(item: Item, words: readonly string[]): string | undefined {
	const found = words.filter((word) => item.text.includes(word));
	return found.toSorted((a, b) => item.text.lastIndexOf(b) - item.text.lastIndexOf(a))[0];
}

/**
 * Whether a request is outside of turns: it has no tools, requires a form of the answer, or concerns a finished turn.
 */
function isHidden({ tools, answerSchema }: ModelRequest, since: readonly Item[]): boolean {
	const isOver = since.some((item) => item.role === "assistant" && item.calls.length === 0 && item.text !== "");
	const hasCalled = since.some((item) => item.role === "assistant" && item.calls.length > 0);
	return tools.length === 0 || answerSchema !== undefined || (isOver && !hasCalled) || endsWithAnswer(since);
}

/** Whether the newest item is the model's answer to the message, although the model is called again. */
function endsWithAnswer(since: readonly Item[]): boolean {
	const last = since.findLast((item) => item.role === "assistant");
	return last?.role === "assistant" && last.calls.length === 0 && since.at(-1)?.role !== "tool";
}

/** Counts rounds of tool calls. Parallel calls count as one, and a search for tools belongs to the call after it. */
function roundsOf(since: readonly Item[]): number {
	const hasCalled = (item: Item): boolean =>
		item.role === "assistant" && item.calls.some(({ name }) => name !== toolSearch);
	return since.filter((item, index) => hasCalled(item) && since[index - 1]?.role !== "assistant").length;
}
