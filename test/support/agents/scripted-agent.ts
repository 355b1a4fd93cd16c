/**
 * A coding agent for tests, made with the SDK's own agent side: it executes a message step by step, and shows the
 * habits of real agents.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";
import { askModel, userMessage } from "../model-server/simple-caller.ts";
import { startTimeNow } from "#shared/base/files/process-files.ts";

/**
 * The capabilities beyond the minimum: `load` (`load-fails`), `modes`, `http`, `system`; `deaf` ignores the end of its
 * input.
 */
const habits = new Set((process.env["SCRIPTED"] ?? "").split(" "));

const cancelled = new Map<string, AbortController>();
let model = "small";
let mode = "plan";
let system = "none";
let servers = "";
let cancels = 0;
/** The text of the last answer of the model, or what came instead of it. */
let answer = "";

function textOf(prompt: readonly acp.ContentBlock[]): string[] {
	return prompt.flatMap((block) => (block.type === "text" ? [block.text] : []));
}

function modelOption(): acp.SessionConfigOption {
	const options = ["small", "large"].map((value) => ({ value, name: value }));
	return { id: "m", name: "Model", category: "model", type: "select", currentValue: model, options };
}

/** The tools of a step. */
interface Stage {
	text: string;
	sessionId: string;
	client: acp.AgentContext;
	update: (next: acp.SessionUpdate) => Promise<void>;
	say: (text: string) => Promise<void>;
}

/** The steps by their first word; a step that returns a reason ends the turn with it. */
const steps: Readonly<Record<string, (stage: Stage) => Promise<acp.StopReason | void>>> = {
	say: ({ say, text }) => say(text),
	/** The platform's question at the end of a pod begins with this word. */
	async The({ say, text }) {
		if (text.startsWith("session ends now")) await say('{"summary": "The agent was asked"}');
	},
	think: ({ update, text }) => update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text } }),
	/** Updates a tool call that was not announced. */
	tool: ({ update, text }) =>
		update({ sessionUpdate: "tool_call_update", toolCallId: text, status: "completed", rawOutput: { exitCode: 0 } }),
	async ask({ client, sessionId, say }) {
		const kinds = ["reject_once", "allow_always", "allow_once"] as const;
		const options = kinds.map((kind) => ({ optionId: kind, name: kind, kind }));
		const request: acp.RequestPermissionRequest = {
			sessionId,
			options,
			toolCall: { toolCallId: "t", title: "write a file" },
		};
		const { outcome } = await client.request(acp.methods.client.session.requestPermission, request);
		await say(outcome.outcome === "selected" ? outcome.optionId : outcome.outcome);
	},
	/** Sends requests that were not offered, or that no client knows. */
	async odd({ client, sessionId, say }) {
		const answers = ["fs/write_text_file", "terminal/create", "craft/suggest"].map((method) =>
			client.request(method, { sessionId }).then(
				() => "answered",
				(error: unknown) => (error instanceof acp.RequestError ? String(error.code) : "broken"),
			),
		);
		await say((await Promise.all(answers)).join(" "));
	},
	/** Calls the model the given number of times, one call after the other, whatever the answers. */
	async call({ text }) {
		const { MODEL_URL: url = "", MODEL_TOKEN: key = "", MODEL: called = "" } = process.env;
		const access = { endpoints: { "openai-chat": url }, key, model: called };
		for (let calls = 0; calls < Number(text); calls++) {
			const { text: said, raw } = await askModel(access, "openai-chat", { ...userMessage("go on"), isStreaming: true });
			answer = said || raw;
		}
	},
	/** Sends an update after the answer. */
	async late({ say, text }) {
		void sleep(500).then(() => say(text));
	},
	/** Runs a command after asking, and leaves it running when the turn is cancelled. */
	async command({ client, sessionId, text }) {
		const toolCall = { toolCallId: "c", title: text, kind: "execute" as const, rawInput: { command: text } };
		const options = [{ optionId: "yes", name: "yes", kind: "allow_once" as const }];
		await client.request(acp.methods.client.session.requestPermission, { sessionId, options, toolCall });
		spawn("sh", ["-c", text], { detached: true, stdio: "ignore" });
	},
	/** Runs a command without asking; it is reported when it runs already. */
	async unasked({ update, text }) {
		const command = spawn("sh", ["-c", text], { detached: true, stdio: "ignore" });
		await once(command, "spawn");
		const call = { toolCallId: "u", title: text, kind: "execute" as const, status: "in_progress" as const };
		await update({ sessionUpdate: "tool_call", ...call });
	},
	/** Starts a helper process and says its id; the helper has a pipe or none. */
	async helper({ text, say }) {
		const helper = spawn("sleep", ["600"], { detached: true, stdio: [text === "piped" ? "pipe" : "ignore", "ignore"] });
		await once(helper, "spawn");
		// Processes that start afterwards certainly have a later start time.
		const since = startTimeNow();
		while (startTimeNow() < since + 10) await sleep(10);
		await say(`${helper.pid} `);
	},
	async hang({ sessionId }) {
		const { signal } = cancelled.get(sessionId) ?? new AbortController();
		await sleep(60_000, undefined, { signal }).catch(() => {});
		return "cancelled";
	},
	/** Fails when the turn is cancelled. */
	async sulk({ sessionId }) {
		const { signal } = cancelled.get(sessionId) ?? new AbortController();
		await sleep(60_000, undefined, { signal });
	},
	async fail({ text }) {
		throw acp.RequestError.internalError(undefined, text);
	},
	/** Fails with an error whose reason is in its data only. */
	async detail({ text }) {
		throw acp.RequestError.internalError({ details: text });
	},
	async crash() {
		console.error("last words");
		process.exit(7);
	},
};

async function perform(line: string, client: acp.AgentContext, sessionId: string): Promise<acp.StopReason | void> {
	const [word = "", ...rest] = line.split(" ");
	const update = (next: acp.SessionUpdate): Promise<void> =>
		client.notify(acp.methods.client.session.update, { sessionId, update: next });
	const say = (text: string): Promise<void> =>
		update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
	return steps[word]?.({ text: rest.join(" "), sessionId, client, update, say });
}

type Opening = Pick<acp.NewSessionRequest, "mcpServers"> & { systemPrompt?: unknown };

/** Opens a session; reports its servers in one word each: `name:type:first detail`. */
function begin(params: Opening): acp.NewSessionResponse {
	const described = params.mcpServers.map((server) =>
		"url" in server
			? `${server.name}:http:${server.url}:${server.headers[0]?.value}`
			: `${server.name}:stdio:${"args" in server ? server.args.join(",") : ""}:${"env" in server ? server.env[0]?.value : ""}`,
	);
	servers = described.join(" ");
	system = JSON.stringify(params.systemPrompt ?? "none");
	const availableModes = ["plan", "work"].map((id) => ({ id, name: id }));
	const modes = habits.has("modes") ? { modes: { availableModes, currentModeId: mode } } : {};
	return { sessionId: "s1", configOptions: [modelOption()], ...modes };
}

/** The capability is not part of the stable protocol. */
const systemCapability: object = { sessionCapabilities: { systemPrompt: {} } };

/** A schema that retains unknown members, which the library's own parser would remove. */
const anything = { parse: (params: unknown) => params as Opening };

const connection = acp
	.agent({ name: "scripted" })
	.onRequest(acp.methods.agent.initialize, () => ({
		protocolVersion: acp.PROTOCOL_VERSION,
		agentInfo: { name: "scripted", title: "Scripted", version: "1" },
		agentCapabilities: {
			loadSession: habits.has("load") || habits.has("load-fails"),
			mcpCapabilities: { http: habits.has("http") },
			...(habits.has("system") ? systemCapability : {}),
		},
	}))
	.onRequest(String(acp.methods.agent.session.new), anything, ({ params }) => begin(params))
	.onRequest(acp.methods.agent.session.load, async ({ params, client }) => {
		if (habits.has("load-fails")) throw acp.RequestError.internalError({ details: "It is gone" });
		const content = { type: "text" as const, text: "told again" };
		const update = { sessionUpdate: "agent_message_chunk" as const, content };
		await client.notify(acp.methods.client.session.update, { sessionId: params.sessionId, update });
		const { sessionId: _, ...opened } = begin(params);
		return opened;
	})
	.onRequest(acp.methods.agent.session.setMode, ({ params }) => {
		mode = params.modeId;
		return {};
	})
	.onRequest(acp.methods.agent.session.setConfigOption, ({ params }) => {
		model = String(params.value);
		return { configOptions: [modelOption()] };
	})
	.onRequest(acp.methods.agent.session.prompt, async ({ params: { sessionId, prompt }, client }) => {
		cancelled.set(sessionId, new AbortController());
		const texts = textOf(prompt);
		for (const line of (texts.at(-1) ?? "").split("\n")) {
			const filled = line
				.replace("{model}", model)
				.replace("{mode}", mode)
				.replace("{system}", system)
				.replace("{servers}", servers)
				.replace("{url}", process.env["MODEL_URL"] ?? "")
				.replace("{cancels}", String(cancels))
				.replace("{answer}", answer)
				.replace("{blocks}", texts.join("|"));
			const stopReason = await perform(filled, client, sessionId);
			if (stopReason) return { stopReason };
		}
		return { stopReason: "end_turn" };
	})
	.onNotification(acp.methods.agent.session.cancel, ({ params }) => {
		cancels++;
		cancelled.get(params.sessionId)?.abort();
	})
	.connect(
		acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>),
	);

await connection.closed;
if (!habits.has("deaf")) process.exit(0);
await sleep(60_000);
