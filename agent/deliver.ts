/**
 * Brings the session agent of this image to another image: `node deliver.ts <folder> <user>` fills an empty folder, which the
 * container of that image gets. It runs before the session, in the image of sessions.
 */
// oxlint-disable-next-line no-restricted-imports -- the folder is that of a pod before its session
import { cp } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { makeDeliveredAgent } from "#shared/wire/agents/delivered-agent.ts";

const [folder, user = ""] = process.argv.slice(2);
if (folder === undefined || !/^\d{1,10}$/.test(user))
	throw new Error("The folder or the number of the user is missing");

async function deliver(target: string): Promise<void> {
	await makeDeliveredAgent(target, Number(user));
	// It is what Node has made of the agent's modules, for the same user and place (Dockerfile).
	const cache = join(projectRoot, "cache");
	if (existsSync(cache)) await cp(cache, join(target, "cache"), { recursive: true });
}

await deliver(folder).catch((error: unknown) => {
	// People read it as the reason why their session has failed.
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
	process.exitCode = 1;
});
