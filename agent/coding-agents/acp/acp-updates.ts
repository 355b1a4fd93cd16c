/** Translates the updates of the Agent Client Protocol. An update that is not used becomes undefined. Pure. */
import { type AgentUpdate, type PlanUpdate, type ToolStatus, type ToolUpdate, toolStatuses } from "../coding-agent.ts";
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { type JsonObject, objectsOf, textOf } from "#shared/base/schema/parsed-json.ts";

/** The bounds on the entries of a plan, and on the characters of an entry and of its attributes. */
const maxEntries = 200;
const maxEntry = 500;
const maxWord = 40;

/** @param diffVerb The word before the path of a change that the update shows. */
export function readUpdate(update: JsonObject, diffVerb = "Changed"): AgentUpdate | undefined {
	switch (update["sessionUpdate"]) {
		case "agent_message_chunk":
			return readText("text", update["content"]);
		case "agent_thought_chunk":
			return readText("reasoning", update["content"]);
		case "tool_call":
		case "tool_call_update":
			return readTool(update, diffVerb);
		case "plan":
			return readPlan(update);
		default:
			return undefined;
	}
}

function readText(type: "text" | "reasoning", content: unknown): AgentUpdate | undefined {
	const text = contentText(content);
	return text === undefined ? undefined : { type, text };
}

function readPlan({ entries }: JsonObject): PlanUpdate {
	const read = objectsOf(entries).slice(0, maxEntries);
	return {
		type: "plan",
		entries: read.map(({ content, status, priority }) => ({
			content: (textOf(content) ?? "").slice(0, maxEntry),
			status: (textOf(status) ?? "pending").slice(0, maxWord),
			priority: (textOf(priority) ?? "medium").slice(0, maxWord),
		})),
	};
}

/** Reads the plan of an agent that tells it only by a tool for a list of things to do, as opencode does. */
export function readTodos({ sessionUpdate, rawInput }: JsonObject): PlanUpdate | undefined {
	if (!String(sessionUpdate).startsWith("tool_call") || !isJsonObject(rawInput)) return undefined;
	const entries = objectsOf(rawInput["todos"]);
	const isPlan = entries.length > 0 && entries.every(({ content, status }) => textOf(content) && textOf(status));
	return isPlan ? readPlan({ entries }) : undefined;
}

/** A member that is absent or null leaves the earlier value. */
function readTool(update: JsonObject, diffVerb: string): ToolUpdate | undefined {
	const { toolCallId, content, rawInput, rawOutput, ...call } = update;
	const id = textOf(toolCallId);
	if (id === undefined) return undefined;
	const read = {
		title: textOf(call["title"]),
		kind: textOf(call["kind"]),
		status: statusOf(call["status"]),
		command: commandOf(rawInput),
		exit_code: exitCodeOf(rawOutput),
		output: Array.isArray(content)
			? objectsOf(content)
					.map((item) => outputOf(item, diffVerb))
					.join("\n")
			: undefined,
	};
	const changed = Object.entries(read).filter(([, value]) => value !== undefined);
	return { type: "tool", id, ...Object.fromEntries(changed) };
}

function outputOf(item: JsonObject, diffVerb: string): string {
	if (item["type"] === "diff") return `${diffVerb} ${textOf(item["path"]) ?? "a file"}`;
	return contentText(item["content"]) ?? "";
}

function contentText(content: unknown): string | undefined {
	return isJsonObject(content) && content["type"] === "text" ? textOf(content["text"]) : undefined;
}

function statusOf(status: unknown): ToolStatus | undefined {
	return toolStatuses.find((name) => name === status);
}

/** Agents give a command as a text or as a list of words, and several commands as a list of texts. */
export function commandOf(input: unknown): string | undefined {
	if (!isJsonObject(input)) return undefined;
	const { command, commands } = input;
	if (Array.isArray(command)) return textsOf(command).join(" ");
	return textOf(command) ?? (Array.isArray(commands) ? textsOf(commands).join("\n") : undefined);
}

function textsOf(list: readonly unknown[]): string[] {
	return list.flatMap((word) => textOf(word) ?? []);
}

/** Agents use three names for the exit code. */
function exitCodeOf(output: unknown): number | undefined {
	if (!isJsonObject(output)) return undefined;
	const { exitCode, exit_code: snakeCase, metadata } = output;
	const inner = isJsonObject(metadata) ? metadata["exit"] : undefined;
	return [snakeCase, exitCode, inner].find((code) => typeof code === "number");
}
