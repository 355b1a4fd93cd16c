/** Makes copies of the platform's sources whose built-in coding agent is one of the tests. */
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";

const copied = ["services", "host", "shared", "agent", "config", "moleculer.config.ts", "package.json"];

/** The copies by agent: its program and the changes of its record. */
const trees = new Map<string, string>();
process.on("exit", () => {
	for (const tree of trees.values()) rmSync(tree, { recursive: true, force: true });
});

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
	const root = mkdtempSync(join(tmpdir(), "atelier-tree-"));
	for (const name of copied) cpSync(join(projectRoot, name), join(root, name), { recursive: true });
	symlinkSync(join(projectRoot, "node_modules"), join(root, "node_modules"));
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
