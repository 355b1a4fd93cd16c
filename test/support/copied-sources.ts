/** Makes copies of the platform's sources that a test changes before it starts them. */
import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";

const copied = ["services", "host", "shared", "agent", "config", "moleculer.config.ts", "package.json"];

const trees: string[] = [];
process.on("exit", () => {
	for (const tree of trees) rmSync(tree, { recursive: true, force: true });
});

/** Returns the root of a new copy, which is removed after the test run. */
export function copiedSources(): string {
	const root = mkdtempSync(join(tmpdir(), "atelier-tree-"));
	trees.push(root);
	for (const name of copied) cpSync(join(projectRoot, name), join(root, name), { recursive: true });
	symlinkSync(join(projectRoot, "node_modules"), join(root, "node_modules"));
	return root;
}
