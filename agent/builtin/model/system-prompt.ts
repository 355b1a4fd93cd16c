/** The system prompt: short, with the instructions that the repository itself has for agents. */
import { readTextFileIfThere, pathInside } from "../tools/workspace-file.ts";

/** The file in which repositories say how agents should work in them (agents.md). */
const guideName = "AGENTS.md";
const maxGuideLength = 32_768;

export async function systemPrompt(folder: string, date: string): Promise<string> {
	const guide = await pathInside(folder, guideName)
		.then(readTextFileIfThere)
		.catch(() => undefined);
	const parts = [
		"You are a coding agent. You work in a workspace with the tools you are given, until the user's task is done.",
		`The workspace is the folder ${folder}. Paths in tool calls are relative to it. Today is ${date.slice(0, 10)}.`,
		[
			"- Look before you act: read files before you change them, and follow the style you find.",
			"- Do what was asked, all of it and nothing beyond. Ask when the task is unclear and a guess could do harm.",
			"- Prefer edit_file for changes; check your work by running what the project has for it.",
			"- Say what you did in a few plain sentences. Never claim what you have not done or seen.",
			"- Some calls need the user's permission. What is refused stays undone: ask, or find a way that was not refused.",
		].join("\n"),
		...(guide ? [`${guideName} of this repository:\n${guide.slice(0, maxGuideLength)}`] : []),
	];
	return parts.join("\n\n");
}
