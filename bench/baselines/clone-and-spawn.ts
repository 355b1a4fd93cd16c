/**
 * Does by hand what the platform does: clones a repository, and starts the same coding agent in it until it answers.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { projectRoot } from "#shared/base/project-root.ts";

const run = promisify(execFile);
const hello = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1, clientCapabilities: {} } };

/** Returns the duration in milliseconds. @param folder A folder that is created and removed. */
export async function cloneAndSpawn(repository: string, folder: string): Promise<number> {
	const began = performance.now();
	await run("git", ["clone", "--quiet", "--local", "--", repository, folder]);
	const program = join(projectRoot, "agent", "builtin", "main.ts");
	const agent = spawn(process.execPath, [program], { cwd: folder, stdio: ["pipe", "pipe", "ignore"] });
	agent.stdin.write(`${JSON.stringify(hello)}\n`);
	await once(agent.stdout, "data");
	const took = performance.now() - began;
	agent.stdin.end();
	await once(agent, "exit");
	await rm(folder, { recursive: true });
	return took;
}
