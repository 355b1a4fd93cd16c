/** The sources of the commit before several processes were complete, which data and processes of this release work with. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "#shared/project-root.ts";

export const oldCommit = "35da4e64";

/** The reason why tests with the old sources are left out; undefined when git has them. */
export const withoutOldSources = hasCommit() ? undefined : `git does not have the commit ${oldCommit} here`;

function hasCommit(): boolean {
	try {
		execFileSync("git", ["cat-file", "-e", `${oldCommit}^{tree}`], { cwd: projectRoot, stdio: "ignore" });
		return true;
	} catch {
		return false;
	}
}

/** A folder with the old sources and the present packages; disposing of it removes it. */
export class OldSources implements Disposable {
	readonly root: string;

	constructor() {
		this.root = mkdtempSync(join(tmpdir(), "atelier-old-"));
		const tree = execFileSync("git", ["archive", "--format=tar", oldCommit], {
			cwd: projectRoot,
			maxBuffer: 256 * 1024 * 1024,
		});
		mkdirSync(this.root, { recursive: true });
		execFileSync("tar", ["-x", "-C", this.root], { input: tree });
		const packages = join(this.root, "node_modules");
		if (!existsSync(packages)) symlinkSync(join(projectRoot, "node_modules"), packages);
	}

	[Symbol.dispose](): void {
		rmSync(this.root, { recursive: true, force: true });
	}
}
