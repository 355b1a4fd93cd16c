/** Opens a coding agent like the session agent does, without a pod. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { AgentProcess } from "#agent/coding-agents/agent-process.ts";
import type { AgentRecord } from "#agent/coding-agents/agent-record.ts";
import type { CodingAgent } from "#agent/coding-agents/coding-agent.ts";
import { AcpAgent, type AcpOptions } from "#agent/coding-agents/acp/acp.ts";
import { SavedSession } from "#agent/coding-agents/saved-session.ts";
import { LogBuffer } from "#shared/wire/pod/log/log-buffer.ts";
import { Permissions } from "#agent/coding-agents/permissions.ts";

/** Returns the record of the scripted agent. @param habits Words that the agent reads from `SCRIPTED`. */
export function scriptedRecord(...habits: string[]): AgentRecord {
	return {
		id: "scripted",
		title: "Untitled",
		command: [process.execPath, join(import.meta.dirname, "scripted-agent.ts")],
		env: { SCRIPTED: habits.join(" ") },
		files: [],
		keeps: [],
		permission_files: [],
		wires: {},
		needs_model: false,
		own_model: true,
		asks: [],
		usage: "none",
		modes: { ask: "", auto: "" },
		mcp: "both",
		loads: true,
		changes_mode: true,
		mode_outputs: {},
		end_signal: "none",
		chatter: "",
		late_update_ms: 300,
		memory_mb: 256,
		proven: false,
		has_model: true,
	};
}

/**
 * Opens an agent. @param folder Its home and workspace. @param options Options that have precedence over the
 * defaults.
 */
export async function openAgent(
	record: AgentRecord,
	folder: string,
	options: Partial<AcpOptions> = {},
): Promise<CodingAgent> {
	const log = options.log ?? new LogBuffer([]);
	const started = new AgentProcess(record, { PATH: process.env["PATH"] ?? "", HOME: folder }, folder, log);
	return openStarted(started, record, folder, { ...options, log });
}

/** Opens an agent on an existing process. @param started The process, or a replacement for it. */
export async function openStarted(
	started: Parameters<typeof AcpAgent.connect>[0],
	record: AgentRecord,
	folder: string,
	{ log = new LogBuffer([]), ...options }: Partial<AcpOptions> = {},
): Promise<CodingAgent> {
	const agent = await AcpAgent.connect(started, {
		record,
		log,
		model: "",
		systemPrompt: "",
		mcpServers: [],
		path: process.env["PATH"] ?? "",
		shown: (update) => update,
		saved: new SavedSession(join(folder, `${randomUUID()}.json`), record.id),
		past: () => "",
		permissions: new Permissions("auto", (said) => log.add("INFO", record.id, said)),
		...options,
	});
	try {
		await agent.open(folder);
		return agent;
	} catch (error) {
		await agent.close();
		throw error;
	}
}
