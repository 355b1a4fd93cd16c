/** Renders the records of the coding agents as a table of the documentation. Pure. */
import type { WrittenAgent } from "#shared/wire/agents/agent-fields.ts";

const titles = [
	"id",
	"version",
	"licence",
	"on disk",
	"memory",
	"speaks",
	"asks before",
	"MCP",
	"goes on after a restart",
	"proven",
];

const wireNames: Readonly<Record<string, string>> = {
	"openai-chat": "chat",
	"openai-responses": "Responses",
	anthropic: "Anthropic",
	gemini: "Gemini",
};
const askedNames = { files: "files", commands: "commands", mcp_tools: "MCP tools" } as const;
const mcpNames = { both: "stdio, HTTP", http: "HTTP", stdio: "stdio", none: "none" } as const;

export function agentMarkdown(records: readonly WrittenAgent[]): string {
	return [titles, titles.map(() => "---"), ...records.map(row)].map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

function row({ id, install, memory_mb, wires, asks, mcp, loads, proven }: WrittenAgent): string[] {
	return [
		`\`${id}\``,
		install?.version ?? "",
		install?.licence ?? "Apache-2.0",
		`${install?.size_mb ?? 0} MB`,
		`${memory_mb} MB`,
		Object.keys(wires)
			.map((wire) => wireNames[wire] ?? wire)
			.join(", "),
		askedCell(asks),
		mcpNames[mcp],
		loads ? "yes" : "with a summary",
		proven ? "yes" : "no",
	];
}

function askedCell(asks: WrittenAgent["asks"]): string {
	const asked = asks.map((thing) => askedNames[thing]).join(", ");
	return asks.includes("files") ? asked : `${asked}; **not files**`;
}
