/** A copy of the platform's sources whose own coding agent is the asking one of the tests. */
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "#shared/project-root.ts";

const copied = ["services", "shared", "agent", "config", "moleculer.config.ts", "package.json"];

let tree: string | undefined;
process.on("exit", () => {
	if (tree !== undefined) rmSync(tree, { recursive: true, force: true });
});

/** Its root; made once in a test run, and gone after it. */
export function askingTree(): string {
	return (tree ??= makeTree());
}

function makeTree(): string {
	const root = mkdtempSync(join(tmpdir(), "atelier-asking-"));
	for (const name of copied) cpSync(join(projectRoot, name), join(root, name), { recursive: true });
	symlinkSync(join(projectRoot, "node_modules"), join(root, "node_modules"));
	const record = {
		id: "builtin",
		title: "Asking",
		command: [process.execPath, join(import.meta.dirname, "asking-agent.ts")],
		late_update_ms: 0,
		memory_mb: 64,
		proven: true,
		needs_model: false,
		usage: "none",
	};
	writeFileSync(join(root, "config/agents/builtin.yaml"), JSON.stringify(record));
	return root;
}
