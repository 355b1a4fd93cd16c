import { prepareChange } from "./file-change.ts";
import { inputSchema } from "./tool-input.ts";
import type { Tool } from "./tool.ts";
import { ToolFailure } from "./tool-failure.ts";
import { pathInside, readTextFile } from "./workspace-file.ts";

export const editFile: Tool = {
	name: "edit_file",
	description: "Replaces a text in a file of the workspace. The old text must be there exactly once, blanks included.",
	inputSchema: inputSchema(
		{
			path: { type: "string", description: "Relative to the workspace" },
			old_text: { type: "string", description: "With as many lines around it as make it unique" },
			new_text: { type: "string" },
			replace_all: { type: "boolean", description: "Replace it wherever it is. Default false" },
		},
		["path", "old_text", "new_text"],
	),
	async prepare(input, folder) {
		const path = await pathInside(folder, input.text("path"));
		const oldText = await readTextFile(path);
		// Models write LF even when the file has CRLF.
		const inFile = oldText.includes("\r\n")
			? (text: string): string => text.replaceAll(/\r?\n/g, "\r\n")
			: (text: string): string => text;
		const change = { from: inFile(input.text("old_text")), to: inFile(input.content("new_text")) };
		const newText = replace(oldText, change, input.flag("replace_all"));
		return prepareChange({ folder, path, oldText, newText });
	},
};

/** @throws {ToolFailure} */
function replace(text: string, { from, to }: { from: string; to: string }, everywhere: boolean): string {
	const pieces = text.split(from);
	const found = pieces.length - 1;
	if (found === 0) throw new ToolFailure("The old text is not in the file; read it and copy the text exactly");
	if (found > 1 && !everywhere) {
		throw new ToolFailure(`The old text is in the file ${found} times; add lines around it, or set replace_all`);
	}
	return pieces.join(to);
}
