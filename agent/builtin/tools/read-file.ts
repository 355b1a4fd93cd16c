import { inputSchema } from "./tool-input.ts";
import type { Tool, ToolOutcome } from "./tool.ts";
import { pathInside, readTextFile } from "./workspace-file.ts";

const maxLines = 2_000;
const maxLength = 32_000;
const lastLine = 10_000_000;

export const readFile: Tool = {
	name: "read_file",
	description: `Reads a text file of the workspace, at most ${maxLines} lines at once.`,
	inputSchema: inputSchema(
		{
			path: { type: "string", description: "Relative to the workspace" },
			offset: { type: "integer", description: "First line, counted from 1. Default 1" },
			limit: { type: "integer", description: `Lines. Default ${maxLines}` },
		},
		["path"],
	),
	async prepare(input, folder) {
		const name = input.text("path");
		const path = await pathInside(folder, name);
		const first = input.wholeNumber("offset", { min: 1, max: lastLine, otherwise: 1 });
		const limit = input.wholeNumber("limit", { min: 1, max: maxLines, otherwise: maxLines });
		return {
			shown: { title: `Read ${name}`, kind: "read", locations: [{ path, line: first }] },
			run: async () => cut(await readTextFile(path), first, limit),
		};
	},
};

/** Returns whole lines and the number of the line to continue at; only a line that is too long is itself cut. */
function cut(text: string, first: number, limit: number): ToolOutcome {
	const lines = text.split("\n");
	if (lines.at(-1) === "") lines.pop();
	const chosen: string[] = [];
	let length = 0;
	for (const line of lines.slice(first - 1, first - 1 + limit)) {
		length += line.length + 1;
		if (length > maxLength && chosen.length > 0) break;
		chosen.push(
			line.length > maxLength ? `${line.slice(0, maxLength)}… (the line has ${line.length} characters)` : line,
		);
	}
	const last = first - 1 + chosen.length;
	if (first === 1 && last === lines.length) return { text: text === "" ? "(The file is empty)" : chosen.join("\n") };
	const more = last < lines.length ? `; go on with offset ${last + 1}` : "";
	return { text: `${chosen.join("\n")}\n(Lines ${first} to ${last} of ${lines.length}${more})` };
}
