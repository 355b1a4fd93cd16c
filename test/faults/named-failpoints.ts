/** The failpoints of the program, read from its sources, so that none is forgotten. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#shared/project-root.ts";

const passing = /\bfailpoint\("([^"]+)"\)/g;

/** The names are sorted. */
export function namedFailpoints(root = projectRoot): string[] {
	const files = globSync("{services,shared,agent}/**/*.ts", { cwd: root });
	const names = files.flatMap((file) => [...readFileSync(join(root, file), "utf8").matchAll(passing)]);
	return [...new Set(names.map(([, name = ""]) => name))].toSorted();
}
