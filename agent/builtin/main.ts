/** The built-in coding agent, which speaks ACP: with the model that its environment names, or as a shell. */
import { randomUUID } from "node:crypto";
import type {
	InitializeResponse,
	NewSessionResponse,
	PromptResponse,
	SessionNotification,
} from "@agentclientprotocol/sdk";
import { sleep } from "#shared/base/clock.ts";
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { type JsonObject, objectsOf } from "#shared/base/schema/parsed-json.ts";
import { awaitingArgument, receiveStart } from "../io/awaited-start.ts";
import { JsonRpc } from "../io/json-rpc.ts";
import type { AcpClient } from "./acp-client.ts";
import type { AgentMode, AgentSession, SessionOpening } from "./agent-mode.ts";
import { modelVariables, readModelSettings } from "./model/model-settings.ts";
import { shellMode } from "./shell-mode.ts";

interface OpenSession {
	session: AgentSession;
	turn: { cancel: AbortController; ended: Promise<unknown> } | undefined;
}

/** Work that still runs when the input ends may take this long to end. */
const partingMs = 1_500;

// A process that is started before its session loads the mode that takes longest to load.
if (process.argv.includes(awaitingArgument)) {
	await import("./model/model-mode.ts");
	if (!(await receiveStart())) process.exit(0);
}

const mode = await chooseMode();
const sessions = new Map<string, OpenSession>();
let showsNotices = false;

const client = new JsonRpc(process.stdin, process.stdout, {
	requests: {
		initialize,
		"session/new": openSession,
		...(mode.load && { "session/load": loadSession }),
		"session/prompt": answerPrompt,
		"session/set_mode": setMode,
	},
	notifications: { "session/cancel": ({ sessionId }) => sessions.get(String(sessionId))?.turn?.cancel.abort() },
});

/** The libraries of models are loaded only when there is a model. */
async function chooseMode(): Promise<AgentMode> {
	// oxlint-disable-next-line no-restricted-properties  -- this environment was made by the session agent for this program
	const { env } = process;
	const settings = readModelSettings(env);
	// Neither commands nor MCP servers have any use for the model's token.
	const { ATELIER_MODEL_REFUSAL: refusal = "" } = env;
	for (const name of modelVariables) delete env[name];
	if (!settings) return shellMode(refusal);
	const { modelMode } = await import("./model/model-mode.ts");
	const { NODE_COMPILE_CACHE: _own, ...handedOn } = env;
	const known = Object.entries(handedOn).filter((entry): entry is [string, string] => entry[1] !== undefined);
	return modelMode(settings, Object.fromEntries(known));
}

function initialize({ clientCapabilities }: JsonObject): InitializeResponse {
	const session = isJsonObject(clientCapabilities) ? clientCapabilities["session"] : undefined;
	showsNotices = isJsonObject(session) && isJsonObject(session["notices"]);
	return {
		protocolVersion: 1,
		agentInfo: { name: "atelier-builtin", title: mode.title, version: "1" },
		agentCapabilities: mode.capabilities,
	};
}

async function openSession(params: JsonObject): Promise<NewSessionResponse> {
	const sessionId = randomUUID();
	const session = await mode.open(openingOf(sessionId, params));
	sessions.set(sessionId, { session, turn: undefined });
	return { sessionId, ...(session.modes && { modes: session.modes }) };
}

async function loadSession({ sessionId, ...params }: JsonObject): Promise<object> {
	const id = String(sessionId);
	if (sessions.has(id)) throw new Error(`The session "${id}" is open already`);
	const session = await mode.load?.(openingOf(id, params));
	if (!session) throw new Error(`There is no session "${id}"`);
	sessions.set(id, { session, turn: undefined });
	return { ...(session.modes && { modes: session.modes }) };
}

function openingOf(sessionId: string, { cwd, mcpServers }: JsonObject): SessionOpening {
	if (typeof cwd !== "string" || !cwd.startsWith("/")) throw new Error("A session needs an absolute folder");
	return { sessionId, folder: cwd, mcpServers: objectsOf(mcpServers), client: clientOf(sessionId) };
}

function clientOf(sessionId: string): AcpClient {
	return {
		update(update) {
			const notification: SessionNotification = { sessionId, update };
			client.notify("session/update", notification);
		},
		requestPermission: (request) => client.request("session/request_permission", { sessionId, ...request }),
		get showsNotices() {
			return showsNotices;
		},
	};
}

async function answerPrompt({ sessionId, prompt }: JsonObject): Promise<PromptResponse> {
	const open = sessionOf(sessionId);
	if (open.turn) throw new Error("A turn is under way already");
	const cancel = new AbortController();
	const answer = open.session.answer(objectsOf(prompt), cancel.signal);
	open.turn = { cancel, ended: answer.catch(() => {}) };
	return answer.finally(() => {
		open.turn = undefined;
	});
}

function setMode({ sessionId, modeId }: JsonObject): object {
	const { session } = sessionOf(sessionId);
	if (!session.setMode) throw new Error("There is no choice of modes");
	session.setMode(String(modeId));
	return {};
}

function sessionOf(sessionId: unknown): OpenSession {
	const open = sessions.get(String(sessionId));
	if (!open) throw new Error(`There is no session "${String(sessionId)}"`);
	return open;
}

async function endAll(): Promise<void> {
	const ended = [...sessions.values()].map(async ({ session, turn }) => {
		turn?.cancel.abort();
		await turn?.ended;
		await session.close();
	});
	await Promise.all(ended);
}

await client.closed;
// The input has ended, so the work that still runs is ended too.
await Promise.race([endAll(), sleep(partingMs)]);
process.exit(0);
