/** A checkout of the project as a person has one, for tests that start a platform without any configuration. */
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { git } from "../repositories/git-repository.ts";

const sources = [
	"package.json",
	".mocharc.json",
	"moleculer.config.ts",
	"agent",
	"cli",
	"config",
	"host",
	"services",
	"shared",
];

/** Copies the sources into a new repository at the folder, which uses the packages of this checkout; returns the folder. */
export function ownCheckout(folder: string): string {
	mkdirSync(folder, { recursive: true });
	for (const name of sources) cpSync(join(projectRoot, name), join(folder, name), { recursive: true });
	symlinkSync(join(projectRoot, "node_modules"), join(folder, "node_modules"));
	git(folder, ["init", "--quiet", "--initial-branch=main"]);
	git(folder, ["add", "package.json"]);
	git(folder, ["commit", "--quiet", "--message", "first"]);
	return folder;
}
