/**
 * Opens a conversation with an agent of the Agent Client Protocol. An earlier conversation is continued if the agent
 * can load it; otherwise a new one begins.
 */
import type { McpServer } from "#shared/wire/pod/launch.ts";
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { type JsonObject, objectsOf, textOf } from "#shared/base/schema/parsed-json.ts";
import type { AgentRecord } from "../agent-record.ts";
import type { SavedSession } from "../saved-session.ts";
import type { AgentNotice } from "../coding-agent.ts";
import type { LogBuffer } from "#shared/wire/pod/log/log-buffer.ts";
import { type ModeChoices, modeRequest } from "./acp-mode.ts";
import { splitMcpServers } from "./acp-mcp.ts";
import { programsFound } from "./mcp-programs.ts";

/** The properties of the agent and the session that the opening uses. */
export interface OpeningOptions {
	record: AgentRecord;
	systemPrompt: string;
	mcpServers: readonly McpServer[];
	/** The agent's own mode; empty leaves the mode in which the agent starts. */
	mode: string;
	/** The file that names the agent's last conversation. */
	saved: SavedSession;
	/** Returns the earlier turns, for an agent that cannot load its conversation; empty when there are none. */
	past: () => string;
	log: LogBuffer;
	/** Receives what the agent reports beside its answers, and what it cannot use. */
	onNotice?: (notice: AgentNotice) => void;
	/** The PATH of the agent, in which it finds the programs of MCP servers. */
	path: string;
}

/** Sends a request that is answered quickly. @throws {Error} with the agent's own words. */
export type Ask = (method: string, params: object) => Promise<JsonObject>;

/** The conversation that was opened. */
export interface OpenedSession extends ModeChoices {
	id: string;
	/** The texts that are sent before the first message. */
	preamble: string[];
}

/** @throws {Error} */
export async function openSession(
	folder: string,
	capabilities: JsonObject,
	options: OpeningOptions,
	ask: Ask,
): Promise<OpenedSession> {
	const { record, mcpServers, path, onNotice } = options;
	const { found, missing } = await programsFound(mcpServers, { folder, path });
	const { taken, unusable } = splitMcpServers(found, record.mcp, capabilities);
	const unsuited = `The coding agent cannot use these MCP servers: ${unusable.join(", ")}`;
	for (const sentence of [...missing, ...(unusable.length > 0 ? [unsuited] : [])])
		onNotice?.({ type: "warning", sentence });
	const params = { cwd: folder, mcpServers: taken };
	const opened = (await load(params, capabilities, options, ask)) ?? (await begin(params, capabilities, options, ask));
	await setMode(opened, options, ask);
	return opened;
}

type SessionParams = { cwd: string; mcpServers: object[] };

/** Loads the earlier conversation. The updates that repeat it are ignored, because the session has its own record. */
async function load(
	params: SessionParams,
	capabilities: JsonObject,
	{ record: { id, loads }, saved, log }: OpeningOptions,
	ask: Ask,
): Promise<OpenedSession | undefined> {
	if (!loads || capabilities["loadSession"] !== true) return undefined;
	const sessionId = await saved.read(params.cwd);
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
	{ systemPrompt, saved, past }: OpeningOptions,
	ask: Ask,
): Promise<OpenedSession> {
	const takes = systemPrompt !== "" && takesSystemPrompt(capabilities);
	const prompt = { mode: "append", content: [{ type: "text", text: systemPrompt }] };
	const answer = await ask("session/new", { ...params, ...(takes && { systemPrompt: prompt }) });
	const sessionId = textOf(answer["sessionId"]);
	if (sessionId === undefined) throw new Error("It opened a session without an id");
	await saved.write(params.cwd, sessionId);
	const preamble = [takes ? "" : systemPrompt, past()].filter((text) => text !== "");
	return { id: sessionId, preamble, ...offered(answer) };
}

/** The capability is not stable yet; an agent that has it says so. */
function takesSystemPrompt({ sessionCapabilities }: JsonObject): boolean {
	return isJsonObject(sessionCapabilities) && isJsonObject(sessionCapabilities["systemPrompt"]);
}

function offered({ configOptions, modes }: JsonObject): ModeChoices {
	return { choices: objectsOf(configOptions), modes: isJsonObject(modes) ? modes : {} };
}

async function setMode({ id: sessionId, ...offer }: OpenedSession, options: OpeningOptions, ask: Ask): Promise<void> {
	const { record, mode, log } = options;
	if (mode === "") return;
	const request = modeRequest(mode, offer);
	if (request) await ask(request[0], { sessionId, ...request[1] });
	else log.add("WARNING", record.id, `The coding agent has no mode "${mode}"; it stays as it starts`);
}
