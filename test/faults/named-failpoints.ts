/** The failpoints of the program and those that tests of their own kill it at, read from the sources, so that none is forgotten. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";

const passing = /\bfailpoint\("([^"]+)"\)/g;

/** The names are sorted. */
export function namedFailpoints(root = projectRoot): string[] {
	const files = globSync("{services,shared,agent}/**/*.ts", { cwd: root });
	const names = files.flatMap((file) => [...readFileSync(join(root, file), "utf8").matchAll(passing)]);
	return [...new Set(names.map(([, name = ""]) => name))].toSorted();
}

/**
 * The failpoints that tests outside this folder name, whole or by what follows the area (`oauth-begun`). The load of a fault run
 * need not reach them.
 */
export function failpointsOfTests(names: readonly string[]): ReadonlySet<string> {
	const files = globSync("test/**/*.test.ts", { cwd: projectRoot }).filter((file) => !file.startsWith("test/faults/"));
	const texts = files.map((file) => readFileSync(join(projectRoot, file), "utf8"));
	const isNamed = (name: string) => {
		const rest = name.slice(name.indexOf(".") + 1);
		// A single word such as "written" would be found anywhere.
		const forms = [`"${name}"`, `"${name}=`, ...(rest.includes("-") ? [`"${rest}"`] : [])];
		return texts.some((text) => forms.some((form) => text.includes(form)));
	};
	return new Set(names.filter(isNamed));
}
