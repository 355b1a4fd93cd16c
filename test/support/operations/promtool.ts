/** Runs promtool, which judges rules and metrics as Prometheus does. Needs: promtool. */
import { execFile } from "node:child_process";
import { projectRoot } from "#shared/base/project-root.ts";
import { testProgram } from "../machine/test-program.ts";

/** Returns the output of promtool, which judges `input`. @throws {Error} with what it says when it finds a mistake. */
export function promtool(args: readonly string[], input = ""): Promise<string> {
	return new Promise((resolve, reject) => {
		const child = execFile(testProgram("promtool"), args, { cwd: projectRoot }, (error, stdout, stderr) => {
			if (error) reject(new Error(`promtool ${args.join(" ")}: ${stdout}${stderr}`, { cause: error }));
			else resolve(stdout + stderr);
		});
		child.stdin?.end(input);
	});
}
