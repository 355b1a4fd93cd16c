/** The built-in agent without a model runs the command that a message holds, or explains itself. */
import { randomUUID } from "node:crypto";
import type { SessionUpdate, StopReason } from "@agentclientprotocol/sdk";
import { fencedOutput } from "#shared/wire/pod/fenced-output.ts";
import { commandIn } from "./message-command.ts";
import type { JsonObject } from "#shared/base/schema/parsed-json.ts";
import type { AgentMode } from "./agent-mode.ts";
import type { ShellOutcome } from "./shell-command.ts";
import { streamShell } from "./streamed-shell.ts";
import { textContent } from "./tools/tool.ts";

/** @param refusal The reason why the session's model cannot be used; empty when the session has no model. */
export function shellMode(refusal: string): AgentMode {
	const advice = adviceFor(refusal);
	return {
		title: "Shell (no AI)",
		capabilities: {},
		async open({ folder, client: { update } }) {
			return {
				answer: async (prompt, signal) => ({
					stopReason: await runTurn({ message: lastText(prompt), folder, signal, update, advice }),
				}),
				async close() {},
			};
		},
	};
}

/** The answer to a message that holds no command. */
function adviceFor(refusal: string): string {
	const why = refusal || "No AI model is configured for this session";
	return `${why}. To run a command in the workspace, start the message with \`$ \``;
}

const titleLength = 200;

interface ShellTurn {
	message: string;
	folder: string;
	signal: AbortSignal;
	update: (update: SessionUpdate) => void;
	advice: string;
}

async function runTurn(turn: ShellTurn): Promise<StopReason> {
	const command = commandIn(turn.message);
	if (command === undefined) turn.update(says(turn.advice));
	else await runCommand(command, turn);
	return turn.signal.aborted ? "cancelled" : "end_turn";
}

async function runCommand(command: string, { folder, signal, update }: ShellTurn): Promise<void> {
	const toolCallId = randomUUID();
	const [title = ""] = command.split("\n");
	update({
		sessionUpdate: "tool_call",
		toolCallId,
		title: title.slice(0, titleLength),
		kind: "execute",
		status: "pending",
		rawInput: { command },
	});
	update({ sessionUpdate: "tool_call_update", toolCallId, status: "in_progress" });
	const outcome = await streamShell(command, { folder, signal }, (text) =>
		update({ sessionUpdate: "tool_call_update", toolCallId, content: [textContent(text)] }),
	);
	update({
		sessionUpdate: "tool_call_update",
		toolCallId,
		status: outcome.exitCode === 0 ? "completed" : "failed",
		content: [textContent(outcome.output)],
		rawOutput: { exitCode: outcome.exitCode },
	});
	update(says(answerFor(outcome)));
}

/** The command's real output, and how the command ended unless it succeeded. */
function answerFor({ output, exitCode, remark }: ShellOutcome): string {
	const lines = [remark, exitCode === 0 ? "" : `exit code ${exitCode}`].filter((line) => line !== "");
	return fencedOutput(output) + lines.join("\n");
}

/** The user's message is the last text; the text before it is context for models. */
function lastText(prompt: readonly JsonObject[]): string {
	return prompt.map(({ text }) => text).findLast((text) => typeof text === "string") ?? "";
}

function says(text: string): SessionUpdate {
	return { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
}
