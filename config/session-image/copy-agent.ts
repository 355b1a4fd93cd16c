/** `node config/session-image/copy-agent.ts <folder>` copies the session agent's program into a folder, for the image of sessions. */
import { join } from "node:path";
import { copyAgentProgram } from "#shared/wire/agents/agent-program.ts";

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("The folder is missing");
await copyAgentProgram(join(import.meta.dirname, "../.."), folder);
