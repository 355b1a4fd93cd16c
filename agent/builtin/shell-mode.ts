/** What the built-in agent does without an AI model: it runs the command a message holds, and says so when there is none. */
import { randomUUID } from "node:crypto";
import type { SessionUpdate, StopReason, ToolCallContent } from "@agentclientprotocol/sdk";
import { every } from "#shared/clock.ts";
import { commandIn } from "./message-command.ts";
import { type ShellOutcome, startShell } from "./shell-command.ts";

export const shellTitle = "Shell (no AI)";

const noCommand =
	"No AI model is configured for this session. To run a command in the workspace, start the message with `$ `";

/** How often a running command's output is shown. */
const showEveryMs = 250;
/** Characters of it that are shown while it runs; all of it comes at the end. */
const shownLength = 16_384;
const titleLength = 200;

export interface ShellTurn {
	message: string;
	folder: string;
	signal: AbortSignal;
	update: (update: SessionUpdate) => void;
}

export async function runTurn(turn: ShellTurn): Promise<StopReason> {
	const command = commandIn(turn.message);
	if (command === undefined) turn.update(says(noCommand));
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
	const running = startShell(command, { folder, signal });
	update({ sessionUpdate: "tool_call_update", toolCallId, status: "in_progress" });
	let shown = 0;
	const ticker = every(showEveryMs, () => {
		const { text, length } = running.soFar();
		if (length === shown) return;
		shown = length;
		update({ sessionUpdate: "tool_call_update", toolCallId, content: [content(text.slice(-shownLength))] });
	});
	const outcome = await running.ended.finally(() => ticker.cancel());
	update({
		sessionUpdate: "tool_call_update",
		toolCallId,
		status: outcome.exitCode === 0 ? "completed" : "failed",
		content: [content(outcome.output)],
		rawOutput: { exitCode: outcome.exitCode },
	});
	update(says(answerFor(outcome)));
}

/** The command's real output, and how it ended when that was no success. */
function answerFor({ output, exitCode, remark }: ShellOutcome): string {
	const lines = [remark, exitCode === 0 ? "" : `exit code ${exitCode}`].filter((line) => line !== "");
	if (lines.length === 0) return output;
	return `${output}${output === "" || output.endsWith("\n") ? "" : "\n"}${lines.join("\n")}`;
}

function says(text: string): SessionUpdate {
	return { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
}

function content(text: string): ToolCallContent {
	return { type: "content", content: { type: "text", text } };
}
