/** How a conversation with an agent of the Agent Client Protocol begins: taken up again where it can be, else anew. */
import type { McpServer } from "#shared/pod/launch.ts";
import { isJsonObject, type JsonObject, objectsOf, textOf } from "../../io/json-object.ts";
import type { SavedSession } from "../saved-session.ts";
import type { LogBuffer } from "../../io/log-buffer.ts";
import { type ModeChoices, modeRequest } from "./acp-mode.ts";
import { type McpSupport, splitMcpServers } from "./acp-mcp.ts";

export interface OpeningOptions {
	/** Name of its lines in the log. */
	id: string;
	systemPrompt: string;
	mcpServers: readonly McpServer[];
	mcp: McpSupport;
	/** Its own mode; empty: as it starts. */
	mode: string;
	/** Whether its way of taking up a conversation can be relied on. */
	loads: boolean;
	/** Where its conversation is remembered. */
	kept: SavedSession;
	/** What was said before, for one that cannot take up its conversation; empty: nothing. */
	past: () => string;
	log: LogBuffer;
}

/** Asks the agent something that is answered quickly. @throws {Error} with its own words. */
export type Ask = (method: string, params: object) => Promise<JsonObject>;

export interface OpenedSession extends ModeChoices {
	id: string;
	/** What stands before the first message. */
	preamble: string[];
	/** What the agent lets one choose. */
	choices: JsonObject[];
	/** What it told of its modes. */
	modes: JsonObject;
}

/** @throws {Error} */
export async function openSession(
	folder: string,
	capabilities: JsonObject,
	options: OpeningOptions,
	ask: Ask,
): Promise<OpenedSession> {
	const { id, log, mcpServers, mcp } = options;
	const { taken, left } = splitMcpServers(mcpServers, mcp, capabilities);
	if (left.length > 0) log.add("WARNING", id, `The coding agent cannot use these MCP servers: ${left.join(", ")}`);
	const params = { cwd: folder, mcpServers: taken };
	const opened = (await load(params, capabilities, options, ask)) ?? (await begin(params, capabilities, options, ask));
	await setMode(opened, options, ask);
	return opened;
}

type SessionParams = { cwd: string; mcpServers: object[] };

/** What it tells again of the conversation is not listened to: we have our own. */
async function load(
	params: SessionParams,
	capabilities: JsonObject,
	{ id, loads, kept, log }: OpeningOptions,
	ask: Ask,
): Promise<OpenedSession | undefined> {
	if (!loads || capabilities["loadSession"] !== true) return undefined;
	const sessionId = await kept.read(params.cwd);
	if (sessionId === undefined) return undefined;
	try {
		const answer = await ask("session/load", { sessionId, ...params });
		log.add("INFO", id, "The coding agent goes on with its conversation");
		return { id: sessionId, preamble: [], ...offered(answer) };
	} catch (error) {
		const said = error instanceof Error ? error.message : String(error);
		log.add("WARNING", id, `The coding agent cannot take up its conversation, and begins a new one: ${said}`);
		return undefined;
	}
}

async function begin(
	params: SessionParams,
	capabilities: JsonObject,
	{ systemPrompt, kept, past }: OpeningOptions,
	ask: Ask,
): Promise<OpenedSession> {
	const takes = systemPrompt !== "" && takesSystemPrompt(capabilities);
	const prompt = { mode: "append", content: [{ type: "text", text: systemPrompt }] };
	const answer = await ask("session/new", { ...params, ...(takes && { systemPrompt: prompt }) });
	const sessionId = textOf(answer["sessionId"]);
	if (sessionId === undefined) throw new Error("It opened a session without an id");
	await kept.write(params.cwd, sessionId);
	const preamble = [takes ? "" : systemPrompt, past()].filter((text) => text !== "");
	return { id: sessionId, preamble, ...offered(answer) };
}

/** Not stable yet; those that take one say so. */
function takesSystemPrompt({ sessionCapabilities }: JsonObject): boolean {
	return isJsonObject(sessionCapabilities) && isJsonObject(sessionCapabilities["systemPrompt"]);
}

function offered({ configOptions, modes }: JsonObject): { choices: JsonObject[]; modes: JsonObject } {
	return { choices: objectsOf(configOptions), modes: isJsonObject(modes) ? modes : {} };
}

async function setMode({ id: sessionId, ...offer }: OpenedSession, options: OpeningOptions, ask: Ask): Promise<void> {
	const { id, mode, log } = options;
	if (mode === "") return;
	const request = modeRequest(mode, offer);
	if (request) await ask(request[0], { sessionId, ...request[1] });
	else log.add("WARNING", id, `The coding agent has no mode "${mode}"; it stays as it starts`);
}
