/** Searches by `git grep`: git exists wherever the platform runs, follows no links, and can be ended. */
import { realpath } from "node:fs/promises";
import { relative } from "node:path";
import { runCommand } from "../../io/run-command.ts";
import type { Environment } from "../../io/environment.ts";
import { inputSchema } from "./tool-input.ts";
import type { Tool, ToolOutcome } from "./tool.ts";
import { ToolFailure } from "./tool-failure.ts";
import { pathInside } from "./workspace-file.ts";

const searchMs = 30_000;
const maxBytes = 262_144;
const maxLines = 300;
const maxLineLength = 300;

/** A search starts no program, whatever the workspace configures. */
const guard = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-pager"];
const found = 0;
const nothing = 1;

export function searchFiles(env: Environment): Tool {
	return {
		name: "search_files",
		description: `Searches the text files of the workspace, line by line, at most ${maxLines} lines; ignored files are left out.`,
		inputSchema: inputSchema(
			{
				pattern: { type: "string", description: "Extended regular expression (POSIX)" },
				path: { type: "string", description: "File or folder, relative to the workspace. Default: the workspace" },
				include: { type: "string", description: "Glob of file names, e.g. *.ts" },
				ignore_case: { type: "boolean", description: "Default false" },
			},
			["pattern"],
		),
		async prepare(input, folder) {
			const pattern = input.text("pattern");
			const path = await pathInside(folder, input.optionalText("path") || ".");
			const root = await realpath(folder);
			const flags = input.flag("ignore_case") ? "-nIEi" : "-nIE";
			const where = pathspec(relative(root, path), input.optionalText("include") ?? "");
			const args = ["grep", "--no-index", "--exclude-standard", "--no-color", flags, "-e", pattern, "--", where];
			return {
				shown: { title: `Search ${pattern}`, kind: "search", locations: [{ path }] },
				async run({ signal }) {
					const options = { cwd: root, env, timeoutMs: searchMs, maxBytes, signal };
					const { code, stdout, cut, timedOut, words } = await runCommand("git", [...guard, ...args], options);
					if (!cut && !timedOut && code !== found && code !== nothing) throw new ToolFailure(words.join("\n"));
					return outcomeOf(stdout.toString("utf8"), { cut, timedOut });
				},
			};
		},
	};
}

/** @param include An empty pattern includes all files. */
function pathspec(place: string, include: string): string {
	if (include === "") return place === "" ? "." : `:(literal)${place}`;
	const folder = place === "" ? "" : `${place.replaceAll(/[*?[\]\\]/g, "\\$&")}/`;
	return `:(glob)${folder}**/${include}`;
}

function outcomeOf(output: string, { cut, timedOut }: { cut: boolean; timedOut: boolean }): ToolOutcome {
	const lines = output.split("\n").filter((line) => line !== "");
	const shown = lines.slice(0, maxLines).map((line) => line.slice(0, maxLineLength));
	const remarks = [
		lines.length === 0 && "(Nothing found)",
		(cut || lines.length > maxLines) && `(Only the first ${shown.length} lines; search for something narrower)`,
		timedOut && `(Ended after ${searchMs / 1_000} s)`,
	].filter((remark) => remark !== false);
	return { text: [...shown, ...remarks].join("\n") };
}
