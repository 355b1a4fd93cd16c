/** What an update of the Agent Client Protocol means to us; undefined for what we do not keep. Pure. */
import type { ContentBlock, SessionUpdate, ToolCall, ToolCallContent, ToolCallUpdate } from "@agentclientprotocol/sdk";
import type { AgentUpdate, ToolUpdate } from "../coding-agent.ts";

export function readUpdate(update: SessionUpdate): AgentUpdate | undefined {
	const { sessionUpdate: kind } = update;
	if (kind === "agent_message_chunk") return readText("text", update.content);
	if (kind === "agent_thought_chunk") return readText("reasoning", update.content);
	if (kind === "tool_call" || kind === "tool_call_update") return readTool(update);
	return undefined;
}

function readText(type: "text" | "reasoning", content: ContentBlock): AgentUpdate | undefined {
	return content.type === "text" && content.text !== "" ? { type, text: content.text } : undefined;
}

/** Absent and null members mean "as before". */
function readTool(call: ToolCall | ToolCallUpdate): ToolUpdate {
	const { toolCallId: id, title, kind, status, content, rawInput, rawOutput } = call;
	const command = commandOf(rawInput);
	const exitCode = exitCodeOf(rawOutput);
	return {
		type: "tool",
		id,
		...(title && { title }),
		...(kind && { kind }),
		...(status && { status }),
		...(command !== undefined && { command }),
		...(exitCode !== undefined && { exit_code: exitCode }),
		...(content && { output: content.map(outputOf).join("\n") }),
	};
}

function outputOf(content: ToolCallContent): string {
	if (content.type === "diff") return `Changed ${content.path}`;
	if (content.type === "content" && content.content.type === "text") return content.content.text;
	return "";
}

/** Agents give it as text or as a list of words. */
function commandOf(input: unknown): string | undefined {
	const command = memberOf(input, "command");
	if (typeof command === "string") return command;
	return Array.isArray(command) ? command.join(" ") : undefined;
}

function exitCodeOf(output: unknown): number | undefined {
	const code = memberOf(output, "exitCode") ?? memberOf(output, "exit_code");
	return typeof code === "number" ? code : undefined;
}

function memberOf(value: unknown, name: string): unknown {
	return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
