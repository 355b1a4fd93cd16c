/** Runs the demo like its user does, and reads its output. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { projectRoot } from "#shared/base/project-root.ts";

/** The address of a platform, and the login there. */
export interface DemoPlatform {
	readonly url: string;
	readonly login?: { readonly token?: string };
}

export interface DemoRun {
	exitCode: number | null;
	output: string;
	/** The session that it worked on; empty when there was none. */
	sessionId: string;
	/** The text between the lines with the name of the patch. */
	patch: string;
}

/** Starts the demo at a platform; `args` are those of the command line. */
export function startDemo(
	{ url, login }: DemoPlatform,
	...args: string[]
): ChildProcessByStdio<null, Readable, Readable> {
	return spawn(process.execPath, ["cli/demo.ts", ...args], {
		cwd: projectRoot,
		env: { PATH: process.env["PATH"], ATELIER_URL: url, ATELIER_TOKEN: login?.token },
		stdio: ["ignore", "pipe", "pipe"],
		timeout: 300_000,
	});
}

/** Runs the demo to its end. */
export async function runDemo(platform: DemoPlatform, ...args: string[]): Promise<DemoRun> {
	const demo = startDemo(platform, ...args);
	let output = "";
	demo.stdout.on("data", (chunk: Buffer) => (output += chunk));
	demo.stderr.on("data", (chunk: Buffer) => (output += chunk));
	await once(demo, "close");
	return {
		exitCode: demo.exitCode,
		output,
		sessionId: /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(output)?.[0] ?? "",
		patch: /^----- patch -----\n([^]*)^----- end of patch -----$/m.exec(output)?.[1] ?? "",
	};
}
