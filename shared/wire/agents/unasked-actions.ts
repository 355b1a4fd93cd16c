/** Lists the actions that a coding agent takes without asking, although a person wants to be asked. Pure. */
import { askedThings } from "#shared/contracts/agents.ts";
import type { WrittenAgent } from "./agent-fields.ts";

const actions = { files: "changes files", commands: "runs commands", mcp_tools: "calls MCP tools" } as const;

type Asking = Pick<WrittenAgent, "title" | "asks" | "sandboxes" | "mcp">;

/**
 * Returns one sentence per kind of action; an empty list means that the agent asks before everything. @param hasMcp
 * Whether the agent is given MCP servers.
 */
export function unaskedActions({ title, asks, sandboxes = [], mcp }: Asking, hasMcp: boolean): string[] {
	const usesMcp = hasMcp && mcp !== "none";
	return askedThings.flatMap((thing) => {
		if (thing === "mcp_tools" && !usesMcp) return [];
		if (!asks.includes(thing)) return [`${title} ${actions[thing]} without asking`];
		if (!sandboxes.includes(thing)) return [];
		return [`${title} ${actions[thing]} in a sandbox of its own without asking, and asks for what that forbids`];
	});
}
