/** Runs the launch's setup scripts in the workspace, one after the other, at every launch. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { monotonic } from "#shared/base/clock.ts";
import { replaceFile } from "#shared/base/files/replaced-file.ts";
import { throughEntrypoint } from "../io/entrypoint.ts";
import { LaunchFailure } from "../io/launch-failure.ts";
import type { PodContext } from "../io/pod-context.ts";
import { type CommandResult, runCommand } from "../io/run-command.ts";
import { scriptWords } from "./script-words.ts";

export interface SetupPlace extends Pick<PodContext, "env" | "log" | "signal"> {
	workspace: string;
	/** The time limit for all scripts together, in milliseconds. */
	limitMs: number;
}

/** @throws {LaunchFailure} at the first script that fails. */
export async function runSetupScripts(scripts: readonly string[], place: SetupPlace): Promise<void> {
	const end = monotonic() + place.limitMs;
	for (const [index, script] of scripts.entries()) {
		const result = await runScript(script, place, Math.max(end - monotonic(), 1));
		if (result.code !== 0)
			throw new LaunchFailure("SETUP_FAILED", `Setup script ${index + 1} ${complaint(result, place)}`);
	}
}

/** Runs a script from a file, because it may hold secrets and all users can see the arguments of programs. */
async function runScript(
	script: string,
	{ workspace, env, log, signal }: SetupPlace,
	timeoutMs: number,
): Promise<CommandResult> {
	const file = join(env.HOME, ".setup-script");
	await replaceFile(file, script);
	try {
		const [program = "", ...args] = throughEntrypoint(["sh", "-c", 'exec sh -e "$1" >&2', "sh", file], env);
		return await runCommand(program, args, {
			cwd: workspace,
			env,
			timeoutMs,
			signal,
			onLine: (line) => log.add("INFO", "setup", line),
		});
	} finally {
		await rm(file, { force: true });
	}
}

function complaint({ code, timedOut, words }: CommandResult, { log, limitMs }: SetupPlace): string {
	const said = log.withoutSecrets(scriptWords(words));
	const outcome = timedOut
		? `did not end; all scripts together have ${limitMs / 1_000} s, and the operator can raise this with pods.setup_minutes`
		: `ended with exit code ${code}`;
	// The text of a script is not repeated, because it may hold secrets.
	if (said !== "") return `${outcome}: ${said}`;
	return timedOut ? outcome : `${outcome} and wrote nothing`;
}
