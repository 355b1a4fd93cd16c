import { streamShell } from "../streamed-shell.ts";
import { inputSchema } from "./tool-input.ts";
import { ToolFailure } from "./tool-failure.ts";
import { textContent, type Tool } from "./tool.ts";

const defaultSeconds = 120;
const maxSeconds = 600;
/** A person who cancels does not wait longer for a command that does not end. */
const graceMs = 100;
const titleLength = 200;
/** The bound on a command, in characters: the person who permits it can read all of it. */
const maxLength = 65_536;
/** The room for the sentence on how the command ended and for the mark where output was left out. */
const remarkLength = 200;

export const bash: Tool = {
	name: "bash",
	description:
		"Runs a shell command in the workspace, without a terminal and without input. Each call is a shell of its own, " +
		"started in the workspace's folder.",
	inputSchema: inputSchema(
		{
			command: { type: "string" },
			timeout_seconds: { type: "integer", description: `Default ${defaultSeconds}, at most ${maxSeconds}` },
		},
		["command"],
	),
	prepare(input) {
		const command = input.text("command");
		if (command.length > maxLength) throw new ToolFailure(`A command has at most ${maxLength} characters; use a file`);
		const bounds = { min: 1, max: maxSeconds, otherwise: defaultSeconds };
		const limitMs = input.wholeNumber("timeout_seconds", bounds) * 1_000;
		const [title = ""] = command.split("\n");
		return {
			shown: { title: title.slice(0, titleLength), kind: "execute" },
			permission: { key: `bash ${command}`, always: "Always allow exactly this command in this session" },
			async run({ folder, signal, maxLength: maxResult, show }) {
				const options = { folder, signal, limitMs, graceMs, maxLength: maxResult - remarkLength };
				const { output, exitCode, remark } = await streamShell(command, options, (text) => show([textContent(text)]));
				const remarks = [remark, exitCode === 0 ? "" : `exit code ${exitCode}`].filter((line) => line !== "");
				const ending = remarks.length === 0 ? "" : `\n(${remarks.join(", ")})`;
				return {
					text: output === "" && ending === "" ? "(No output)" : output + ending,
					isError: exitCode !== 0,
					content: [textContent(output + ending)],
					rawOutput: { exitCode },
				};
			},
		};
	},
};
