/**
 * A process of the platform that creates one pod, when the wanted count of session agents wait, and lives until it is
 * killed. Its orders come on standard input. It prints `created` when it is done.
 */
import { text } from "node:stream/consumers";
import { LocalProcessRuntime } from "#services/pod-manager/pod-runtimes/local-process.ts";
import type { LocalProcessOptions } from "#services/pod-manager/pod-runtimes/local-process/local-process-options.ts";
import type { PodSpec } from "#services/pod-manager/pod-runtime.ts";
import { eventually } from "../eventually.ts";
import { waitingAgents } from "../platform/session-processes.ts";

const { options, spec } = JSON.parse(await text(process.stdin)) as { options: LocalProcessOptions; spec: PodSpec };
const runtime = new LocalProcessRuntime(options);
await runtime.open();
const wait = () => waitingAgents(options.installation).length === options.waiting;
await eventually(wait, { withinMs: 15_000, what: "session agents wait" });
await runtime.create(spec);
console.log("created");
setInterval(() => {}, 60_000);
