/** Scripts for any agent: steps by what the user said, tools by what they are for. */
import type { Answer, Script } from "./answer.ts";
import { type Item, type Json, type ModelRequest, toolSearch } from "./model-request.ts";
import { callNamed, runCommand, writeFile } from "./offered-tools.ts";
import { objectOf } from "./schema-instance.ts";

/** One answer of the model within a turn. */
export type Step = (request: ModelRequest) => Answer;

export function say(text: string, more: Omit<Answer, "text"> = {}): Step {
	return () => ({ text, ...more });
}

/** Writes a file. @param path Absolute, which every agent takes. */
export function edit(path: string, content: string, more: Omit<Answer, "calls"> = {}): Step {
	return ({ tools }) => ({ calls: [writeFile(tools, path, content)], ...more });
}

export function shell(command: string, more: Omit<Answer, "calls"> = {}): Step {
	return ({ tools }) => ({ calls: [runCommand(tools, command)], ...more });
}

/** Calls a tool by (a part of) its name, e.g. one of an MCP server. */
export function call(name: string | RegExp, args: Json = {}, more: Omit<Answer, "calls"> = {}): Step {
	return ({ tools }) => ({ calls: [callNamed(tools, name, args)], ...more });
}

/**
 * Steps for each user message by a word it holds. Within a turn the step follows from how often the model has called
 * tools since that message, so an agent may repeat a request. Whatever else agents ask of a model (titles, summaries,
 * classifiers, suggestions) gets an answer that keeps them content, and is billed like any other.
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

/** An answer to what is no turn. */
export function sideAnswer({ answerSchema }: ModelRequest): Answer {
	return { text: answerSchema ? JSON.stringify(objectOf(answerSchema, {})) : "Scripted title" };
}

/** The last word in the text counts. */
function wordOf(item: Item, words: readonly string[]): string | undefined {
	const found = words.filter((word) => item.text.includes(word));
	return found.toSorted((a, b) => item.text.lastIndexOf(b) - item.text.lastIndexOf(a))[0];
}

/** No tools, an answer of a given form, or a request about a turn that is over. */
function isHidden({ tools, answerSchema }: ModelRequest, since: readonly Item[]): boolean {
	const isOver = since.some((item) => item.role === "assistant" && item.calls.length === 0 && item.text !== "");
	const hasCalled = since.some((item) => item.role === "assistant" && item.calls.length > 0);
	return tools.length === 0 || answerSchema !== undefined || (isOver && !hasCalled) || endsWithAnswer(since);
}

/** The newest words of the model are an answer to the message, and yet it is asked again. */
function endsWithAnswer(since: readonly Item[]): boolean {
	const last = since.findLast((item) => item.role === "assistant");
	return last?.role === "assistant" && last.calls.length === 0 && since.at(-1)?.role !== "tool";
}

/** Calls that an agent sends side by side, as some wires do, count as one; a search for tools is part of the call after it. */
function roundsOf(since: readonly Item[]): number {
	const hasCalled = (item: Item): boolean =>
		item.role === "assistant" && item.calls.some(({ name }) => name !== toolSearch);
	return since.filter((item, index) => hasCalled(item) && since[index - 1]?.role !== "assistant").length;
}
