/** Makes copies of the platform's sources whose built-in coding agent is one of the tests. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { copiedSources } from "../copied-sources.ts";

/** The copies by agent: its program and the changes of its record. */
const trees = new Map<string, string>();

/**
 * Returns the root of a copy, which is made once per agent and test run and removed after it.
 * @param program A file in this folder.
 * @param changes Changes of the agent's record.
 */
export function agentTree(program: string, changes: object = {}): string {
	const agent = JSON.stringify([program, changes]);
	const tree = trees.get(agent) ?? makeTree(program, changes);
	trees.set(agent, tree);
	return tree;
}

function makeTree(program: string, changes: object): string {
	const root = copiedSources();
	const record = {
		id: "builtin",
		title: "Agent of the tests",
		command: [process.execPath, join(import.meta.dirname, program)],
		late_update_ms: 0,
		memory_mb: 64,
		proven: true,
		needs_model: false,
		own_model: false,
		usage: "none",
		asks: ["files", "commands", "mcp_tools"],
		...changes,
	};
	writeFileSync(join(root, "config/agents/builtin.yaml"), JSON.stringify(record));
	return root;
}
