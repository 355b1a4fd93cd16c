/**
 * A process of the platform that creates one pod and lives on until it is killed; told on standard input. It says
 * `created` when it is done.
 */
import { text } from "node:stream/consumers";
import { LocalProcessRuntime, type LocalProcessOptions } from "#services/pod-manager/pod-runtimes/local-process.ts";
import type { PodSpec } from "#services/pod-manager/pod-runtime.ts";

const { options, spec } = JSON.parse(await text(process.stdin)) as { options: LocalProcessOptions; spec: PodSpec };
await new LocalProcessRuntime(options).create(spec);
console.log("created");
setInterval(() => {}, 60_000);
