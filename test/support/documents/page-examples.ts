/** Reads the shell examples of a page of the documentation, so that a test runs them as they stand there. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";

export interface PageSection {
	/** The heading, without its `#`. */
	readonly heading: string;
	/** The blocks that define functions for later ones. */
	readonly functions: readonly string[];
	/** The other blocks. */
	readonly examples: readonly string[];
}

const block = /^```sh\n([^]*?)^```$/gm;

/** Returns the sections of a page; the first one is the text before the first heading of the second level. */
export function pageSections(page: string): PageSection[] {
	const text = readFileSync(join(projectRoot, page), "utf8");
	return text.split(/^## /m).map((section) => {
		const blocks = [...section.matchAll(block)].map(([, lines = ""]) => lines);
		return {
			heading: section.split("\n", 1)[0] ?? "",
			functions: blocks.filter(isFunction),
			examples: blocks.filter((lines) => !isFunction(lines)),
		};
	});
}

function isFunction(lines: string): boolean {
	return /^\w+\(\) \{/.test(lines);
}
