/** A program that executes one command of one person with a key, and that a failpoint may kill in between. */
import type { Principal } from "#shared/base/principal.ts";
import { sessions } from "#shared/contracts/sessions/sessions.ts";
import { startSessions } from "./platform/sessions-part.ts";
import { callAs } from "./bus/test-brokers.ts";

const [folder = "", nodes = "1", principal = "{}", idempotency_key = "", command = ""] = process.argv.slice(2);
const started = await startSessions(nodes === "2" ? 2 : 1, folder);
const who = { principal: JSON.parse(principal) as Principal, meta: { idempotency_key } };
if (command === "create") await callAs(started.near, who, sessions.actions.create, { name: "a" });
else await callAs(started.near, who, sessions.actions.archive_stopped, {});
await started.stop();
