/**
 * `node config/session-image/load-agent.ts <folder>` loads all modules of the session agent's program in that folder. With
 * `NODE_COMPILE_CACHE` Node keeps them as it needs them, for the starts of sessions that cannot write there.
 */
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("The folder is missing");
const agent = resolve(folder, "agent");
const modules = readdirSync(agent, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
// The programs themselves would begin to work.
const programs = ["main.ts", "builtin/main.ts", "read-folder.ts", "deliver.ts", "ssh/connect.ts"];
for (const path of modules.filter((one) => !programs.includes(one)))
	await import(pathToFileURL(join(agent, path)).href);
process.exit(0);
