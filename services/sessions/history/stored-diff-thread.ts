/** The thread that reads large patches: one order in, the JSON text of its answer out. */
import { parentPort } from "node:worker_threads";
import { keptDiff, type KeptDiffOrder } from "./stored-diff.ts";

parentPort?.on("message", (order: KeptDiffOrder) => parentPort?.postMessage(JSON.stringify(keptDiff(order))));
