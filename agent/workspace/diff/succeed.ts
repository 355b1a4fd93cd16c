/** Waits for a command of git that has to succeed. */
import { wordsOfGit } from "../git.ts";
import type { CommandResult } from "../../io/run-command.ts";
import { DiffFailedError } from "./diff-errors.ts";

/** A program that was ended because it wrote too much has not failed. @throws {DiffFailedError} */
export async function succeed(running: Promise<CommandResult>): Promise<CommandResult> {
	const result = await running;
	if (result.code !== 0 && !result.cut)
		throw new DiffFailedError(`Cannot compare the workspace: ${wordsOfGit(result)}`);
	return result;
}
