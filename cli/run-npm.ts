/** Runs npm in a folder that has a package.json and a lock file. */
import { spawn } from "node:child_process";
import { environment } from "#shared/config/environment.ts";
import { pathOfPerson } from "#shared/config/person-path.ts";

const options = ["--omit=dev", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];
const maxWords = 2_000;

/**
 * Installs packages with `npm install`, because `npm ci` refuses a lock file without the optional packages of every
 * kind of machine.
 * @param how.scripts Whether the packages' own install scripts may run.
 * @returns Undefined on success, otherwise a sentence with npm's last output.
 */
export function runNpm(folder: string, how: { scripts: boolean; signal: AbortSignal }): Promise<string | undefined> {
	const scripts = how.scripts ? "--no-ignore-scripts" : "--ignore-scripts";
	const args = ["install", "--prefix", folder, scripts, ...options];
	return new Promise((resolve) => {
		// Npm looks for its configuration beside its Node, which therefore is not the platform's own.
		const env = { ...environment(), PATH: pathOfPerson(environment()["PATH"] ?? "") };
		const child = spawn("npm", args, { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"], signal: how.signal });
		let words = "";
		child.stderr.on("data", (chunk: Buffer) => {
			words = (words + chunk.toString("utf8")).slice(-maxWords);
		});
		child.once("error", (error: NodeJS.ErrnoException) => {
			if (how.signal.aborted) return;
			resolve(error.code === "ENOENT" ? "npm is not on the PATH" : `npm cannot be started: ${error.message}`);
		});
		child.once("close", (code, signal) => {
			if (code === 0) resolve(undefined);
			else if (how.signal.aborted) resolve("it was interrupted");
			else resolve(`npm ended with ${code ?? signal}\n${words.trim()}`);
		});
	});
}
