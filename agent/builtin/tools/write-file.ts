import { prepareChange } from "./file-change.ts";
import { inputSchema } from "./tool-input.ts";
import type { Tool } from "./tool.ts";
import { pathInside, readTextFileIfThere } from "./workspace-file.ts";

export const writeFile: Tool = {
	name: "write_file",
	description: "Creates a text file in the workspace, or replaces all of it. To change a part of a file use edit_file.",
	inputSchema: inputSchema(
		{
			path: { type: "string", description: "Relative to the workspace" },
			content: { type: "string", description: "All of the file" },
		},
		["path", "content"],
	),
	async prepare(input, folder) {
		const path = await pathInside(folder, input.text("path"));
		const newText = input.content("content");
		return prepareChange({ folder, path, oldText: await readTextFileIfThere(path), newText });
	},
};
