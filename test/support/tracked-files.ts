/** Lists the files of the project by git: tracked and new ones, without ignored and deleted ones. */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";

/** Returns paths from the root of the project, with `/`. @param patterns Path specifications of git, such as `*.ts`. */
export function trackedFiles(...patterns: string[]): string[] {
	const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", ...patterns], {
		cwd: projectRoot,
		encoding: "utf8",
	});
	return listed.split("\n").filter((file) => file !== "" && existsSync(join(projectRoot, file)));
}
