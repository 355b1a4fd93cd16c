/** The source tree of an earlier commit in a temporary folder, with the packages that are installed here. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";

/** The commit before several processes were supported in full. */
export const formerCommit = "35da4e64";

/** Whether git has the commit here; a clone without history has not. */
export function hasCommit(commit: string): boolean {
	return spawnSync("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: projectRoot }).status === 0;
}

export class FormerTree implements Disposable {
	readonly root = mkdtempSync(join(tmpdir(), "atelier-former-"));

	constructor(commit: string) {
		const archive = execFileSync("git", ["archive", commit], { cwd: projectRoot, maxBuffer: 1e9 });
		execFileSync("tar", ["-x", "-C", this.root], { input: archive });
		symlinkSync(join(projectRoot, "node_modules"), join(this.root, "node_modules"));
	}

	[Symbol.dispose](): void {
		rmSync(this.root, { recursive: true, force: true });
	}
}
