/** The release of the platform. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";

export function release(): string {
	const { version }: { version: string } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
	return version;
}
