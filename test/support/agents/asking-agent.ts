/** A coding agent for tests of permissions, interrupts and the chat: it executes a message line by line. */
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { type JsonObject, objectsOf } from "#shared/base/schema/parsed-json.ts";
import { JsonRpc } from "#agent/io/json-rpc.ts";

const sessionId = "asking";
let folder = ".";
let isAllowedForEver = false;
let mode = "work";
let cancellation = new AbortController();

function update(sessionUpdate: string, members: object): void {
	rpc.notify("session/update", { sessionId, update: { sessionUpdate, ...members } });
}

function say(text: string): void {
	update("agent_message_chunk", { content: { type: "text", text } });
}

/** Writes a file when that is permitted, and says the answer; true when the turn is cancelled by it. */
async function write(name: string, text: string): Promise<boolean> {
	const toolCall = { toolCallId: name, kind: "edit", title: `Write ${name}`, status: "pending" };
	const rawInput = { path: name, text };
	update("tool_call", { ...toolCall, rawInput });
	const answer = isAllowedForEver ? "allow_always" : await permission({ ...toolCall, rawInput });
	if (answer === "allow_always") isAllowedForEver = true;
	const isAllowed = answer.startsWith("allow");
	if (isAllowed) writeFileSync(join(folder, name), text);
	update("tool_call_update", { toolCallId: name, status: isAllowed ? "completed" : "failed" });
	say(`${answer}\n`);
	return answer === "cancelled";
}

const kinds = ["allow_once", "allow_always", "reject_once"];

async function permission(
	toolCall: object,
	options: object[] = kinds.map((kind) => ({ optionId: kind, name: kind, kind })),
): Promise<string> {
	const { outcome } = await rpc.request("session/request_permission", { sessionId, toolCall, options });
	return isJsonObject(outcome) ? String(outcome["optionId"] ?? outcome["outcome"]) : "no outcome";
}

/** Runs a command that writes output while it runs. */
async function run(command: string): Promise<void> {
	const toolCallId = randomUUID();
	const output = (text: string) => [{ type: "content", content: { type: "text", text } }];
	update("tool_call", { toolCallId, kind: "execute", title: command, status: "pending", rawInput: { command } });
	await permission({ toolCallId, kind: "execute", title: command, rawInput: { command } });
	update("tool_call_update", { toolCallId, status: "in_progress", content: output("half\n") });
	update("tool_call_update", { toolCallId, status: "completed", content: output("half\nwhole\n") });
}

/** The steps by the first word of a line; a step that returns true ends the turn as cancelled. */
const steps: Readonly<Record<string, (rest: string) => unknown>> = {
	say,
	run,
	think: (text) => update("agent_thought_chunk", { content: { type: "text", text } }),
	pid: () => say(String(process.pid)),
	write: (rest) => write(rest.split(" ")[0] ?? "", rest.split(" ").slice(1).join(" ")),
	/** Repeats a request that was withdrawn. */
	async insist() {
		const answers: string[] = [];
		while (answers.length < 3) answers.push(await permission({ toolCallId: "again", title: "Again" }));
		say(answers.join(" "));
	},
	/** Changes its own mode, as agents do when their model wants to plan. */
	enter(id) {
		mode = id;
		update("current_mode_update", { currentModeId: id });
	},
	mode: () => say(mode),
	/** Asks a person for one of several words. */
	async choose(rest) {
		const options = rest.split(" ").map((word) => ({ optionId: word, name: `Take ${word}`, kind: "allow_once" }));
		const skip = { optionId: "skip", name: "Skip", kind: "reject_once" };
		say(await permission({ toolCallId: "question", title: "Which one?" }, [...options, skip]));
	},
	/** Asks a person for one of several words by a form with one button, and says what it got. */
	async form(rest) {
		const rawInput = {
			questions: [{ question: "Which colour?", options: rest.split(" ").map((label) => ({ label })) }],
		};
		const options = [
			{ optionId: "send", name: "Submit", kind: "allow_once" },
			{ optionId: "cancel", name: "Cancel", kind: "reject_once" },
		];
		const toolCall = { toolCallId: "form", title: "Ask user 1 question", rawInput };
		const { outcome, answers } = await rpc.request("session/request_permission", { sessionId, toolCall, options });
		say(JSON.stringify([isJsonObject(outcome) ? outcome["optionId"] : outcome, answers]));
	},
	/** Keeps a list of things to do by a tool call, and tells no plan. */
	todo: (rest) => {
		const todos = [{ content: rest, status: "pending" }];
		update("tool_call", {
			toolCallId: "todo",
			kind: "other",
			title: "todowrite",
			status: "completed",
			rawInput: { todos },
		});
	},
	/** Makes two requests at once. */
	both: async (rest) => Promise.all(rest.split(" ").map((name) => write(name, name))),
	plan: (rest) => update("plan", { entries: [{ content: rest, status: "pending", priority: "high" }] }),
	/** Sends the given number of pieces of one KiB. */
	async flood(rest) {
		for (let n = 0; n < Number(rest); n++) {
			say(`${n}`.padEnd(1_024, "."));
			if (n % 64 === 0) await sleep(1);
		}
	},
	async hang() {
		await sleep(60_000, undefined, { signal: cancellation.signal }).catch(() => {});
		return true;
	},
	/** Ignores cancellations. */
	stubborn: () => sleep(600_000),
};

async function prompt({ prompt: blocks }: JsonObject): Promise<object> {
	cancellation = new AbortController();
	const text = String(objectsOf(blocks).at(-1)?.["text"]);
	for (const line of text.split("\n")) {
		const [word = "", ...rest] = line.split(" ");
		if ((await steps[word]?.(rest.join(" "))) === true) return { stopReason: "cancelled" };
		if (cancellation.signal.aborted) return { stopReason: "cancelled" };
	}
	return { stopReason: "end_turn" };
}

const rpc = new JsonRpc(process.stdin, process.stdout, {
	requests: {
		initialize: () => ({ protocolVersion: 1, agentInfo: { title: "Asking" }, agentCapabilities: {} }),
		"session/new": ({ cwd }) => {
			folder = String(cwd);
			setImmediate(() => {
				update("available_commands_update", { availableCommands: [{ name: "compact", description: "Forget" }] });
				update("usage_update", { used: 10, size: 100 });
			});
			const availableModes = ["work", "plan"].map((id) => ({ id, name: `To ${id}` }));
			return { sessionId, modes: { availableModes, currentModeId: mode } };
		},
		"session/set_mode": ({ modeId }) => {
			mode = String(modeId);
			return {};
		},
		"session/prompt": prompt,
	},
	notifications: { "session/cancel": () => cancellation.abort() },
});

await rpc.closed;
process.exit(0);
