import type { Dirent } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import { join, matchesGlob, relative } from "node:path";
import { inputSchema } from "./tool-input.ts";
import type { Tool, ToolOutcome } from "./tool.ts";
import { ToolFailure } from "./tool-failure.ts";
import { pathInside } from "./workspace-file.ts";

const maxListed = 1_000;
/** The bound on visited entries; a workspace may hold far more. */
const maxSeen = 50_000;
/** Nested alternatives in a pattern can take exponential time to match. */
const unsafe = /[()]|.{201}/s;
/** These folders are never of interest and often huge. */
const skipped = new Set([".git", "node_modules"]);

export const listFiles: Tool = {
	name: "list_files",
	description: `Lists the files of the workspace, at most ${maxListed}; .git and node_modules are left out.`,
	inputSchema: inputSchema(
		{
			path: { type: "string", description: "Folder, relative to the workspace. Default: the workspace" },
			pattern: { type: "string", description: "Glob below that folder, e.g. **/*.ts. Default: all files" },
		},
		[],
	),
	async prepare(input, folder) {
		const name = input.optionalText("path") || ".";
		const path = await pathInside(folder, name);
		const pattern = input.optionalText("pattern") || undefined;
		if (pattern !== undefined && unsafe.test(pattern)) {
			throw new ToolFailure("A pattern holds names and *, **, ?, [ ] and { } only, at most 200 characters");
		}
		const title = pattern === undefined ? `List ${name}` : `List ${pattern} in ${name}`;
		return {
			shown: { title, kind: "search", locations: [{ path }] },
			run: async ({ signal }) => list({ root: await realpath(folder), path, pattern, signal }),
		};
	},
};

interface Listing {
	root: string;
	path: string;
	pattern: string | undefined;
	signal: AbortSignal;
}

async function list({ root, path, pattern, signal }: Listing): Promise<ToolOutcome> {
	const found: string[] = [];
	let seen = 0;
	const remark = (): string => {
		if (seen >= maxSeen) return `\n(Only the first ${maxSeen} entries were looked at)`;
		return found.length >= maxListed ? `\n(Only the first ${maxListed}; use a narrower path or pattern)` : "";
	};
	for await (const file of filesBelow(path)) {
		seen++;
		if (signal.aborted || seen >= maxSeen || found.length >= maxListed) break;
		if (pattern === undefined || matchesGlob(relative(path, file), pattern)) found.push(relative(root, file));
	}
	return { text: found.length === 0 ? `(No files)${remark()}` : found.join("\n") + remark() };
}

/** Visits the folders in order; links are listed and not followed. */
async function* filesBelow(folder: string): AsyncGenerator<string> {
	const pending = [folder];
	for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
		const entries = (await entriesOf(at, folder)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
		for (const entry of entries) if (!entry.isDirectory()) yield join(at, entry.name);
		const folders = entries.filter((entry) => entry.isDirectory() && !skipped.has(entry.name));
		pending.push(...folders.map((entry) => join(at, entry.name)).toReversed());
	}
}

/** A folder that cannot be read counts as empty, unless it is the one that was asked for. @throws {ToolFailure} */
async function entriesOf(path: string, asked: string): Promise<Dirent[]> {
	try {
		return await readdir(path, { withFileTypes: true });
	} catch {
		if (path === asked) throw new ToolFailure(`"${path}" is no folder that can be read`);
		return [];
	}
}
