/** A copy of the platform's sources without one protection, for controls. */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";

export interface Patch {
	readonly file: string;
	/** The text must occur in the file exactly once. */
	readonly from: string;
	readonly to: string;
}

const copied = ["services", "host", "shared", "agent", "config", "moleculer.config.ts", "package.json"];

/** @throws {Error} when a text to replace does not occur in its file exactly once. */
export function patchedTree(patches: readonly Patch[]): { root: string } & Disposable {
	const root = mkdtempSync(join(tmpdir(), "atelier-patched-"));
	const tree = { root, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
	try {
		for (const name of copied) cpSync(join(projectRoot, name), join(root, name), { recursive: true });
		symlinkSync(join(projectRoot, "node_modules"), join(root, "node_modules"));
		for (const patch of patches) apply(root, patch);
	} catch (error) {
		tree[Symbol.dispose]();
		throw error;
	}
	return tree;
}

function apply(root: string, patch: Patch): void {
	writeFileSync(join(root, patch.file), patchedText(patch, root));
}

/** Returns the text of a file without the protection. @throws {Error} as {@link patchedTree} does. */
export function patchedText({ file, from, to }: Patch, root = projectRoot): string {
	const [before, after, ...more] = readFileSync(join(root, file), "utf8").split(from);
	if (before === undefined || after === undefined || more.length > 0)
		throw new Error(`Cannot take the protection from "${file}": not exactly once there: ${from}`);
	return before + to + after;
}
