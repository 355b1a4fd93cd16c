/**
 * `npm run doctor -- --url <url> --token <token>...` tries every route of a running platform as every caller it has a
 * token for, and as callers with wrong tokens. The exit code is 0, 1 when there is a hole, or 2 when the proof was
 * not possible: no platform, no token, or a command line that was not understood. `npm run doctor -- --machine` says where sessions
 * could run on this machine (host/machine.ts).
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { notUnderstood, readCommandLine } from "#shared/config/command-line.ts";
import { apiUrl } from "#shared/config/config.ts";
import { apiToken } from "#shared/config/api-token.ts";
import { examine } from "./doctor/examination.ts";

const { values } = readCommandLine({
	usage: "npm run doctor -- [--url <url>] [--token <token>]... | npm run doctor -- --machine",
	summary:
		"Proves on a running platform that nobody reaches what is not theirs. It makes its own objects and removes them. " +
		"Exit code 1: there is a hole; 2: the proof was not possible.",
	options: {
		url: { type: "string", value: "url", help: "the platform's address; default: ATELIER_URL, or the configured one" },
		token: {
			type: "string",
			multiple: true,
			value: "token",
			help: "a person's login token; the first person owns the objects; default: ATELIER_TOKEN",
		},
		machine: {
			type: "boolean",
			help: "says instead where sessions could run on this machine, and where a start would run them; no platform is needed",
		},
	},
});

if (values.machine) process.exitCode = await examineMachine();
else await examinePlatform();

async function examinePlatform(): Promise<void> {
	try {
		const given = values.token ?? [await apiToken()].filter((token) => token !== undefined);
		const { origin } = new URL(values.url ?? apiUrl());
		process.exitCode = (await examine(origin, given, (line) => console.log(line))) ? 0 : 1;
	} catch (error) {
		console.error(`The proof was not possible: ${error instanceof Error ? error.message : String(error)}`);
		process.exitCode = notUnderstood;
	}
}

/** Resolves to the exit code of the platform's own program, which knows its runtimes. */
async function examineMachine(): Promise<number> {
	const program = spawn(process.execPath, [join(projectRoot, "host/machine.ts")], { stdio: "inherit" });
	await once(program, "exit");
	return program.exitCode ?? notUnderstood;
}
