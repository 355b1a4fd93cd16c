/** Changes one file: the change is shown before it is permitted, and written only if the file is still the same. */
import { relative } from "node:path";
import { realpath } from "node:fs/promises";
import type { ToolCallContent } from "@agentclientprotocol/sdk";
import { type PreparedCall, textContent } from "./tool.ts";
import { ToolFailure } from "./tool-failure.ts";
import { readTextFileIfThere, writeTextFile } from "./workspace-file.ts";

/** A change that a tool is about to make. */
export interface FileChange {
	folder: string;
	/** The path is real and absolute. */
	path: string;
	/** It is undefined when there is no such file. */
	oldText: string | undefined;
	newText: string;
}

/** The bound on both sides together, in characters; of a larger change only the file name is shown. */
const maxDiffLength = 262_144;

export async function prepareChange(change: FileChange): Promise<PreparedCall> {
	const { folder, path, oldText, newText } = change;
	const name = relative(await realpath(folder), path);
	const content = [diffOf(change, name)];
	return {
		shown: {
			title: `${oldText === undefined ? "Create" : "Edit"} ${name}`,
			kind: "edit",
			locations: [{ path }],
			content,
		},
		permission: { key: "edit", always: "Always allow changes to files in this session" },
		async run() {
			if ((await readTextFileIfThere(path)) !== oldText) {
				throw new ToolFailure(`"${name}" was changed in the meantime; read it again`);
			}
			await writeTextFile(path, newText);
			return { text: `${oldText === undefined ? "Created" : "Changed"} ${name}`, content };
		},
	};
}

function diffOf({ path, oldText, newText }: FileChange, name: string): ToolCallContent {
	if ((oldText?.length ?? 0) + newText.length > maxDiffLength) {
		return textContent(`${name}: ${newText.length} characters, too many to be shown`);
	}
	return { type: "diff", path, oldText: oldText ?? null, newText };
}
