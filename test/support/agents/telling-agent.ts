/**
 * A coding agent that tells how it was started: it answers every message with its settings as JSON, after it has asked
 * for a permission.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { type JsonObject, objectsOf } from "#shared/base/schema/parsed-json.ts";
import { JsonRpc } from "#agent/io/json-rpc.ts";

/** The settings that a coding agent of the tests has seen. */
export interface Told {
	/** The texts of the message, a system prompt first. */
	texts: string[];
	/** The program with its arguments. */
	command: string[];
	/** The environment, and the configuration file of an agent that has its model there. */
	env: Record<string, string | undefined>;
	config: string;
	folder: string;
	/** The text that a setup script has written into the file `made-by` of the workspace. */
	madeBy: string;
	mcpServers: string[];
	/** The variables of each MCP server, by its name. */
	mcpEnv: Record<string, Record<string, string>>;
	origin: string;
	branch: string;
	/** The bound of its memory in GiB; null: there is none. */
	memory: number | null;
	/** The outcome of the permission request. */
	permission: string;
}

const sessionId = "telling";
let mcpServers: string[] = [];
let mcpEnv: Told["mcpEnv"] = {};
/** The folder of the conversation. */
let folder = "";

function git(...args: string[]): string {
	try {
		return execFileSync("git", args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
	} catch {
		return "";
	}
}

function textIn(file: string): string {
	return existsSync(file) ? readFileSync(file, "utf8").trim() : "";
}

/** Returns the bound in GiB (proc(5), RLIMIT_DATA); null when there is none. */
function memoryBound(): number | null {
	const bytes = /^Max data size +(\d+) /m.exec(textIn("/proc/self/limits"))?.[1];
	return bytes === undefined ? null : Number(bytes) / 2 ** 30;
}

function told(texts: string[], permission: string): Told {
	const root = git("rev-parse", "--show-toplevel");
	// oxlint-disable-next-line no-restricted-properties  -- the environment is what this program tells about
	const { env } = process;
	return {
		texts,
		command: process.argv,
		env: { ...env },
		config: textIn(join(env["CODEX_HOME"] ?? "", "config.toml")),
		folder,
		madeBy: textIn(join(root, "made-by")),
		mcpServers,
		mcpEnv,
		origin: git("remote", "get-url", "origin"),
		branch: git("branch", "--show-current"),
		memory: memoryBound(),
		permission,
	};
}

/** Returns the variables of an MCP server, which are a list of pairs in the protocol. */
function variablesOf(pairs: unknown): Record<string, string> {
	return Object.fromEntries(objectsOf(pairs).map(({ name, value }) => [String(name), String(value)]));
}

async function prompt({ prompt: blocks }: JsonObject): Promise<object> {
	const texts = objectsOf(blocks).map(({ text }) => String(text));
	const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }];
	const toolCall = { toolCallId: "t", title: "Tell everything" };
	const { outcome } = await rpc.request("session/request_permission", { sessionId, options, toolCall });
	const permission = isJsonObject(outcome) ? String(outcome["outcome"]) : "";
	const update = {
		sessionUpdate: "agent_message_chunk",
		content: { type: "text", text: JSON.stringify(told(texts, permission)) },
	};
	rpc.notify("session/update", { sessionId, update });
	return { stopReason: "end_turn" };
}

const rpc: JsonRpc = new JsonRpc(process.stdin, process.stdout, {
	requests: {
		initialize: () => ({ protocolVersion: 1, agentInfo: { title: "Telling" }, agentCapabilities: {} }),
		"session/new"({ mcpServers: servers, cwd }) {
			folder = String(cwd);
			mcpServers = objectsOf(servers).map(({ name }) => String(name));
			mcpEnv = Object.fromEntries(objectsOf(servers).map(({ name, env }) => [String(name), variablesOf(env)]));
			return { sessionId };
		},
		"session/prompt": prompt,
	},
	notifications: {},
});

await rpc.closed;
process.exit(0);
