/** The built-in coding agent, spoken to over ACP like any other. It runs in shell mode: it has no AI model. */
import { randomUUID } from "node:crypto";
import type {
	InitializeResponse,
	NewSessionResponse,
	PromptResponse,
	SessionNotification,
} from "@agentclientprotocol/sdk";
import type { JsonObject } from "../json-object.ts";
import { JsonRpc } from "../json-rpc.ts";
import { runTurn, shellTitle } from "./shell-mode.ts";

interface Session {
	folder: string;
	/** Ends the turn under way. */
	turn: AbortController | undefined;
}

const sessions = new Map<string, Session>();

const client = new JsonRpc(process.stdin, process.stdout, {
	requests: { initialize, "session/new": openSession, "session/prompt": answerPrompt },
	notifications: { "session/cancel": ({ sessionId }) => sessions.get(String(sessionId))?.turn?.abort() },
});

function initialize(): InitializeResponse {
	return {
		protocolVersion: 1,
		agentInfo: { name: "atelier-builtin", title: shellTitle, version: "1" },
		agentCapabilities: {},
	};
}

function openSession({ cwd }: JsonObject): NewSessionResponse {
	if (typeof cwd !== "string" || !cwd.startsWith("/")) throw new Error("A session needs an absolute folder");
	const sessionId = randomUUID();
	sessions.set(sessionId, { folder: cwd, turn: undefined });
	return { sessionId };
}

async function answerPrompt({ sessionId, prompt }: JsonObject): Promise<PromptResponse> {
	const session = sessions.get(String(sessionId));
	if (!session) throw new Error(`There is no session "${String(sessionId)}"`);
	if (session.turn) throw new Error("A turn is under way already");
	const turn = new AbortController();
	session.turn = turn;
	try {
		const stopReason = await runTurn({
			message: lastText(prompt),
			folder: session.folder,
			signal: turn.signal,
			update(update) {
				const notification: SessionNotification = { sessionId: String(sessionId), update };
				client.notify("session/update", notification);
			},
		});
		return { stopReason };
	} finally {
		session.turn = undefined;
	}
}

/** The user's message; what may come before it is for models. */
function lastText(prompt: unknown): string {
	const blocks: unknown[] = Array.isArray(prompt) ? prompt : [];
	const texts = blocks.map((block) => (typeof block === "object" && block !== null ? Reflect.get(block, "text") : ""));
	return texts.findLast((text) => typeof text === "string") ?? "";
}

await client.closed;
// End of input: whatever still runs goes with it.
for (const { turn } of sessions.values()) turn?.abort();
process.exit(0);
